// The queues of all threads: a write in place must not overtake calls that another thread has made
// before it and not run yet.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "core/tensor/tensor.h"

namespace rondo::tracer {

/// Holds calls that will read their operands later.
class CallQueue {
 public:
  /// Runs what is queued if any of it reads one of `targets`. Called by other threads.
  virtual void run_before_write(std::span<const Tensor> targets) = 0;

 protected:
  ~CallQueue() = default;
};

class QueueList {
 public:
  /// A queue of the list. Its mutex keeps the queue alive; it is taken before a queue's own lock.
  struct Entry {
    std::mutex mutex;
    CallQueue* queue = nullptr;
    std::atomic<bool> holds_calls{false};
  };

  static QueueList& instance();

  std::shared_ptr<Entry> add(CallQueue& queue);
  void remove(const std::shared_ptr<Entry>& entry);

  /// From the first call that is queued until the last one has run.
  void set_holds_calls(Entry& entry, bool holds);

  /// Has the queues but `own` run what reads `targets`.
  void run_before_write(const Entry& own, std::span<const Tensor> targets) {
    const int mine = own.holds_calls.load(std::memory_order_relaxed) ? 1 : 0;
    if (holding_.load(std::memory_order_relaxed) > mine) [[unlikely]] {
      run_others(own, targets);
    }
  }

 private:
  void run_others(const Entry& own, std::span<const Tensor> targets);

  std::mutex mutex_;  // of the list; nothing else is locked meanwhile
  std::vector<std::shared_ptr<Entry>> entries_;
  std::atomic<int> holding_{0};  // queues that hold calls
};

}  // namespace rondo::tracer
