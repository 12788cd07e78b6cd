// Streams and events of the stand-in: threads that run what is queued, in order.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace rondo::stand_in {

/// Counts the works of one stream that are done.
class Stream {
 public:
  Stream();
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Gives the number of the work.
  std::uint64_t add(std::function<void()> work);
  void wait_for(std::uint64_t number);
  bool is_done(std::uint64_t number);
  void synchronize() { wait_for(last()); }
  std::uint64_t last();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> queue_;
  std::uint64_t added_ = 0;
  std::uint64_t done_ = 0;
  bool ends_ = false;
  std::thread thread_;
};

/// The place in a stream where it was last recorded.
struct Event {
  std::mutex mutex;
  Stream* stream = nullptr;
  std::uint64_t number = 0;
};

}  // namespace rondo::stand_in
