#include "bindings/serve/connection_threads.h"

#include <system_error>
#include <utility>

namespace rondo::serve {
namespace {

bool& overloaded_here() {
  thread_local bool value = false;
  return value;
}

}  // namespace

bool ConnectionThreads::overloaded() {
  return overloaded_here();
}

void ConnectionThreads::enqueue(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    if (idle_ > tasks_.size() || start_thread()) {
      tasks_.push_back(std::move(task));
      changed_.notify_one();
      return;
    }
  }
  overloaded_here() = true;
  task();
  overloaded_here() = false;
}

/// False if there are as many as there may be, or the system gives no more.
bool ConnectionThreads::start_thread() {
  if (threads_.size() >= most_) {
    return false;
  }
  try {
    threads_.emplace_back([this] { work(); });
    return true;
  } catch (const std::system_error&) {
    return false;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void ConnectionThreads::shutdown() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

void ConnectionThreads::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    changed_.wait(lock, [this] { return stopping_ || !tasks_.empty(); });
    --idle_;
    if (tasks_.empty()) {
      return;
    }
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

}  // namespace rondo::serve
