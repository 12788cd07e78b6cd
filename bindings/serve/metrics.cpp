#include "bindings/serve/metrics.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <iterator>

namespace rondo::serve {
namespace {

constexpr std::array<double, Histogram::kBounds> kSeconds{.0005, .001, .0025, .005, .01, .025,
                                                          .05,   .1,   .25,   .5,   1,   5};
constexpr std::array<double, Histogram::kBounds> kRows{1,  2,   4,   8,   16,   32,
                                                       64, 128, 256, 512, 1024, 4096};

void print_gauge(std::string_view name, std::string_view help, std::int64_t value,
                 std::string& out) {
  fmt::format_to(std::back_inserter(out), "# HELP {0} {1}\n# TYPE {0} gauge\n{0} {2}\n", name, help,
                 value);
}

}  // namespace

void Histogram::add(double value) {
  std::size_t bucket = 0;
  while (bucket < bounds_.size() && value > bounds_[bucket]) {
    ++bucket;
  }
  ++counts_[bucket];
  sum_ += value;
}

void Histogram::print(std::string_view name, std::string_view help, std::string& out) const {
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "# HELP {0} {1}\n# TYPE {0} histogram\n", name, help);
  std::int64_t total = 0;
  for (std::size_t i = 0; i < bounds_.size(); ++i) {
    total += counts_[i];
    fmt::format_to(to, "{}_bucket{{le=\"{}\"}} {}\n", name, bounds_[i], total);
  }
  total += counts_.back();
  fmt::format_to(to, "{0}_bucket{{le=\"+Inf\"}} {1}\n{0}_sum {2}\n{0}_count {1}\n", name, total,
                 sum_);
}

Metrics::Metrics() : latency_(kSeconds), run_time_(kSeconds), batch_(kRows) {}

void Metrics::count_request(int status, double seconds) {
  const std::lock_guard lock(mutex_);
  ++requests_[status];
  latency_.add(seconds);
}

void Metrics::count_batch(std::int64_t rows, double seconds) {
  const std::lock_guard lock(mutex_);
  batch_.add(static_cast<double>(rows));
  run_time_.add(seconds);
}

std::string Metrics::print() const {
  const std::lock_guard lock(mutex_);
  std::string out =
      "# HELP rondo_requests_total Requests answered, by status.\n"
      "# TYPE rondo_requests_total counter\n";
  for (const auto& [status, count] : requests_) {
    fmt::format_to(std::back_inserter(out), "rondo_requests_total{{status=\"{}\"}} {}\n", status,
                   count);
  }
  latency_.print("rondo_request_seconds", "From the headers to the answer.", out);
  run_time_.print("rondo_run_seconds", "Runs of the model.", out);
  batch_.print("rondo_batch_rows", "Rows of a run.", out);
  print_gauge("rondo_active_requests", "Requests being worked on.", active.load(), out);
  print_gauge("rondo_queued_requests", "Requests waiting for a session.", queued.load(), out);
  print_gauge("rondo_resident_bytes", "Memory of the process.", resident_bytes(), out);
  return out;
}

std::int64_t resident_bytes() {
  long long all = 0;
  long long resident = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%lld %lld", &all, &resident) != 2) {
      resident = 0;
    }
    std::fclose(file);
  }
  return resident * sysconf(_SC_PAGESIZE);
}

}  // namespace rondo::serve
