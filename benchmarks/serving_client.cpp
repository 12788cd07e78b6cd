// What serving costs a C++ program: loads an archive through the C ABI, runs it, and prints its
// times as JSON. Usage: benchmark_serving_client ARCHIVE SECONDS SIZE [SIZE ...], where the sizes
// are those of an input [batch, SIZE ...]. Started by serving.py.
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <rondo/rondo.hpp>
#include <string>
#include <vector>

namespace {

using Shape = std::vector<std::int64_t>;

// The clock that Python calls time.monotonic(): both processes read the same.
double now_seconds() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

class Requests {
 public:
  Requests(rondo::api::Session& session, Shape shape)
      : session_(session), shape_(std::move(shape)) {
    std::size_t count = 1;
    for (const std::int64_t size : shape_) {
      count *= static_cast<std::size_t>(size);
    }
    for (std::size_t i = 0; i < count; ++i) {
      input_.push_back(static_cast<float>(i % 255) / 255.0F);
    }
  }

  // The first number of the answer.
  float ask() { return session_.run({{shape_, input_}})[0].data<float>()[0]; }

  // Asks for `seconds`; seconds of each request.
  std::vector<double> ask_for(double seconds) {
    std::vector<double> times;
    double before = now_seconds();
    const double end = before + seconds;
    while (before < end) {
      ask();
      const double after = now_seconds();
      times.push_back(after - before);
      before = after;
    }
    return times;
  }

 private:
  rondo::api::Session& session_;
  Shape shape_;
  std::vector<float> input_;
};

void print_times(const char* name, std::vector<double> times) {
  std::sort(times.begin(), times.end());
  const auto at = [&](std::size_t percent) { return times[(times.size() - 1) * percent / 100]; };
  std::printf(", \"%s\": {\"count\": %zu, \"least_s\": %.9f, \"median_s\": %.9f, \"p99_s\": %.9f}",
              name, times.size(), times.front(), at(50), at(99));
}

/// The most memory that was resident. getrusage would count the parent's, from before exec.
long long most_resident_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) {
      return std::stoll(line.substr(6)) * 1024;
    }
  }
  return 0;
}

void measure(const std::string& path, double seconds, Shape shape) {
  const double begin = now_seconds();
  const auto module = rondo::api::Module::load(path);
  rondo::api::Session session(module);
  const double loaded = now_seconds();
  shape.insert(shape.begin(), 1);
  Requests one(session, shape);
  const float value = one.ask();
  const double first = now_seconds();
  shape[0] = 32;
  Requests batch(session, shape);
  batch.ask();
  std::printf("{\"load_s\": %.9f, \"first_s\": %.9f, \"first_at\": %.9f, \"value\": %.9g",
              loaded - begin, first - loaded, first, static_cast<double>(value));
  const std::vector<double> early = one.ask_for(seconds);
  batch.ask_for(seconds);
  print_times("early", early);
  print_times("one", one.ask_for(seconds));
  print_times("batch", batch.ask_for(seconds));
  std::printf(", \"rss_bytes\": %lld}\n", most_resident_bytes());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: benchmark_serving_client ARCHIVE SECONDS SIZE [SIZE ...]\n");
    return 2;
  }
  Shape shape;
  for (int i = 3; i < argc; ++i) {
    shape.push_back(std::atoll(argv[i]));
  }
  try {
    measure(argv[1], std::atof(argv[2]), shape);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
