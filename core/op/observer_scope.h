// Has this thread's calls observed for a scope.
#pragma once

#include <utility>

#include "core/op/executor.h"

namespace rondo {

/// Replaces the observer of this thread; null: nobody observes.
class ObserverScope {
 public:
  explicit ObserverScope(CallObserver* observer)
      : previous_(std::exchange(current_observer(), observer)) {}
  ~ObserverScope() { current_observer() = previous_; }
  ObserverScope(const ObserverScope&) = delete;
  ObserverScope& operator=(const ObserverScope&) = delete;

 private:
  CallObserver* previous_;
};

}  // namespace rondo
