// Counters of the server, as Prometheus reads them.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace rondo::serve {

/// Counts of values up to each of a few bounds.
class Histogram {
 public:
  static constexpr int kBounds = 12;
  explicit Histogram(const std::array<double, kBounds>& bounds) : bounds_(bounds) {}

  void add(double value);
  /// The lines of the Prometheus text format.
  void print(std::string_view name, std::string_view help, std::string& out) const;

 private:
  std::array<double, kBounds> bounds_;
  std::array<std::int64_t, kBounds + 1> counts_{};
  double sum_ = 0;
};

class Metrics {
 public:
  Metrics();

  /// Requests whose headers have been read and that are not answered yet.
  std::atomic<std::int64_t> active{0};
  /// Those that wait for a session.
  std::atomic<std::int64_t> queued{0};
  /// Runs that were ended because their client had gone or their deadline had passed.
  std::atomic<std::int64_t> ended{0};
  /// Bytes that bodies of requests under way may take, with what is made of them.
  std::atomic<std::int64_t> body_bytes{0};

  void count_request(int status, double seconds);
  void count_batch(std::int64_t rows, double seconds);
  /// `connections` are those that are open.
  std::string print(std::int64_t connections = 0) const;

 private:
  mutable std::mutex mutex_;
  std::map<int, std::int64_t> requests_;  // by status
  Histogram latency_;
  Histogram run_time_;
  Histogram batch_;
};

}  // namespace rondo::serve
