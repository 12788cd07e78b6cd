#include "bindings/serve/metrics.h"

#include <fmt/format.h>

#include <initializer_list>
#include <iterator>
#include <utility>

#include "bindings/serve/memory.h"
#include "core/tensor/allocator.h"
#include "jit/compile_queue.h"
#include "jit/stats.h"

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

void print_counter(std::string_view name, std::string_view help,
                   std::initializer_list<std::pair<std::string_view, std::uint64_t>> values,
                   std::string& out) {
  const auto to = std::back_inserter(out);
  fmt::format_to(to, "# HELP {0} {1}\n# TYPE {0} counter\n", name, help);
  for (const auto& [label, value] : values) {
    fmt::format_to(to, "{}{} {}\n", name, label, value);
  }
}

/// What was compiled, and what ran how.
void print_compiles(std::string& out) {
  const jit::CompileStats stats = jit::compile_stats();
  print_counter("rondo_kernels_total", "Compiled kernels, by where they are from.",
                {{"{from=\"compiler\"}", stats.compiled}, {"{from=\"disk\"}", stats.from_disk}},
                out);
  print_counter("rondo_kernel_fallbacks_total",
                "Kernels that are interpreted for good: compiling failed, or a result differed.",
                {{"{reason=\"failed\"}", stats.failed}, {"{reason=\"differed\"}", stats.withdrawn}},
                out);
  print_counter("rondo_compile_milliseconds_total", "Time in the compiler.",
                {{"", static_cast<std::uint64_t>(stats.milliseconds)}}, out);
  const jit::OpCounts& ops = jit::op_counts();
  print_counter("rondo_ops_total", "Ops that ran, by how.",
                {{"{how=\"compiled\"}", ops.compiled.load()},
                 {"{how=\"interpreted\"}", ops.interpreted.load()},
                 {"{how=\"product\"}", ops.library.load()},
                 {"{how=\"function\"}", ops.functions.load()}},
                out);
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

std::string Metrics::print(std::int64_t connections) const {
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
  print_gauge("rondo_connections", "Connections that are open.", connections, out);
  print_counter("rondo_runs_ended_total",
                "Requests whose client had gone or whose deadline had passed.",
                {{"", static_cast<std::uint64_t>(ended.load())}}, out);
  print_compiles(out);
  print_gauge("rondo_body_bytes", "Memory kept for bodies being worked on.", body_bytes.load(),
              out);
  print_gauge("rondo_tensor_bytes", "Memory of tensors, mapped weights apart.", memory_stats().live,
              out);
  print_gauge("rondo_resident_bytes", "Memory of the process.", resident_bytes(), out);
  return out;
}

}  // namespace rondo::serve
