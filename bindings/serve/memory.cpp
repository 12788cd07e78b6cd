#include "bindings/serve/memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

namespace rondo::serve {
namespace {

/// The number in a file; the largest int64 where there is none, as for "max".
std::int64_t number_in(const std::string& path) {
  std::ifstream file(path);
  std::int64_t value = 0;
  return file >> value && value > 0 ? value : std::numeric_limits<std::int64_t>::max();
}

/// The least limit of the group at `path` and of the groups above it.
std::int64_t least_of(std::string path, const std::string& root, const char* name) {
  std::int64_t least = number_in(root + "/" + name);
  while (path.size() > 1) {
    least = std::min(least, number_in(root + path + "/" + name));
    path.resize(path.rfind('/'));
  }
  return least;
}

}  // namespace

std::int64_t cgroup_memory(const std::string& proc_cgroup, const std::string& root) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::istringstream lines(proc_cgroup);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) {
      continue;
    }
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const std::string path = line.substr(second + 1);
    if (controllers.empty()) {
      least = std::min(least, least_of(path, root, "memory.max"));
    } else if (("," + controllers + ",").find(",memory,") != std::string::npos) {
      least = std::min(least, least_of(path, root + "/memory", "memory.limit_in_bytes"));
    }
  }
  return least;
}

std::int64_t available_memory() {
  std::ifstream file("/proc/self/cgroup");
  const std::string groups{std::istreambuf_iterator<char>(file), {}};
  const std::int64_t machine = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
  return std::min(machine, cgroup_memory(groups, "/sys/fs/cgroup"));
}

std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t all = 0;
  std::int64_t resident = 0;
  return file >> all >> resident ? resident * sysconf(_SC_PAGESIZE) : 0;
}

}  // namespace rondo::serve
