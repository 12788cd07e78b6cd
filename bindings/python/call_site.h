// Lines of Python programs, for errors that name where something was done.
#pragma once

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

}  // namespace rondo::python
