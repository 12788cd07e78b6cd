#include "core/op/executor.h"

#include <atomic>

#include "core/base/error.h"

namespace rondo {
namespace {

using Factory = Executor& (*)();
std::atomic<Factory> default_factory{nullptr};
thread_local Executor* thread_executor = nullptr;

}  // namespace

Executor& current_executor() {
  if (thread_executor == nullptr) [[unlikely]] {
    const Factory factory = default_factory.load();
    invariant(factory != nullptr, "no executor has been registered");
    return factory();
  }
  return *thread_executor;
}

ExecutorScope::ExecutorScope(Executor& executor) : previous_(thread_executor) {
  thread_executor = &executor;
}

ExecutorScope::~ExecutorScope() {
  thread_executor = previous_;
}

void set_default_executor(Executor& (*factory)()) {
  default_factory.store(factory);
}

CallObserver*& current_observer() {
  thread_local CallObserver* observer = nullptr;
  return observer;
}

}  // namespace rondo
