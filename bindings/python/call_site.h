// Lines of Python programs, for errors that name where something was done.
#pragma once

#include <cstdint>

#include "bindings/python/python.h"
#include "core/base/call_site.h"

namespace rondo::python {

/// Tells the core how to find the line that runs.
void add_call_sites();

/// Lets other Python threads run for a scope in which ops are called: they belong to the line that
/// runs now.
class CallRelease {
 public:
  CallRelease();
  ~CallRelease();
  CallRelease(const CallRelease&) = delete;
  CallRelease& operator=(const CallRelease&) = delete;

 private:
  CallSite site_;
  const CallSite* previous_;
  GilRelease released_;
};

/// From this many elements on, a kernel may take so long (50 microseconds) that other threads
/// should run.
inline constexpr std::int64_t kLongElements = 16384;

/// Runs `function`, with a CallRelease where it takes long.
template <class F>
auto released_if(bool takes_long, F&& function) {
  if (!takes_long) {
    return function();
  }
  const CallRelease released;
  return function();
}

/// The same for one that goes over so many elements.
template <class F>
auto released_if_long(std::int64_t elements, F&& function) {
  return released_if(elements >= kLongElements, std::forward<F>(function));
}

}  // namespace rondo::python
