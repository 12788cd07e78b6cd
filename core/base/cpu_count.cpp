#include "core/base/cpu_count.h"

#include <sched.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

namespace rondo {
namespace {

int cpus_of(double quota, double period) {
  if (quota <= 0 || period <= 0) {
    return 0;
  }
  const auto cpus = static_cast<int>(quota / period);
  return std::max(1, cpus + (static_cast<double>(cpus) * period < quota ? 1 : 0));
}

int smaller_limit(int a, int b) {
  return a == 0 || b == 0 ? a + b : std::min(a, b);
}

// The limit of one group of version 2, whose cpu.max reads "max 100000" or "150000 100000".
int limit_v2(const std::string& directory) {
  std::ifstream file(directory + "/cpu.max");
  std::string quota;
  double period = 0;
  if (!(file >> quota >> period) || quota == "max") {
    return 0;
  }
  std::istringstream number(quota);
  double value = 0;
  number >> value;
  return cpus_of(value, period);
}

int limit_v1(const std::string& directory) {
  std::ifstream quota_file(directory + "/cpu.cfs_quota_us");
  std::ifstream period_file(directory + "/cpu.cfs_period_us");
  double quota = 0;
  double period = 0;
  if (!(quota_file >> quota) || !(period_file >> period)) {
    return 0;
  }
  return cpus_of(quota, period);
}

// The least limit of the group at `path` and of the groups above it.
int limit_of_path(std::string path, const std::string& root, int (*limit)(const std::string&)) {
  int least = limit(root);
  while (path.size() > 1) {
    least = smaller_limit(least, limit(root + path));
    path.resize(path.rfind('/'));
  }
  return least;
}

// Whether the comma-separated list of controllers has "cpu".
bool has_cpu_controller(const std::string& controllers) {
  return ("," + controllers + ",").find(",cpu,") != std::string::npos;
}

}  // namespace

int cgroup_cpus(const std::string& proc_cgroup, const std::string& root) {
  int least = 0;
  std::istringstream lines(proc_cgroup);
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) {
      continue;
    }
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (controllers.empty()) {
      least = smaller_limit(least, limit_of_path(path, root, limit_v2));
    } else if (has_cpu_controller(controllers)) {
      least = smaller_limit(least, limit_of_path(path, root + "/cpu", limit_v1));
    }
  }
  return least;
}

int available_cpus() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  int cpus = static_cast<int>(std::thread::hardware_concurrency());
  if (sched_getaffinity(0, sizeof(mask), &mask) == 0) {
    cpus = CPU_COUNT(&mask);
  }
  std::ifstream file("/proc/self/cgroup");
  const std::string groups{std::istreambuf_iterator<char>(file), {}};
  return std::max(1, smaller_limit(cpus, cgroup_cpus(groups, "/sys/fs/cgroup")));
}

}  // namespace rondo
