// Threads for connections, made when they are needed and kept.
#pragma once

#include <httplib.h>

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace rondo::serve {

class ConnectionThreads final : public httplib::TaskQueue {
 public:
  explicit ConnectionThreads(std::size_t most) : most_(most) {}

  /// Whether this thread runs a task for which there was no thread, so that it must be short.
  static bool overloaded();

  /// Runs the task on a thread of its own, or on this one where there is none.
  void enqueue(std::function<void()> task) override;
  void shutdown() override;

 private:
  void work();
  bool start_thread();

  std::size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool stopping_ = false;
};

}  // namespace rondo::serve
