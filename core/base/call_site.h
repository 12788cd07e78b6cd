// Where in the caller's program a call was made, for error texts.
#pragma once

#include <string>

namespace rondo {

/// A place in a program; only who made it knows what it means. Empty where nobody knows.
struct CallSite {
  const void* code = nullptr;
  int instruction = 0;
  explicit operator bool() const { return code != nullptr; }
};

/// Who knows: a binding. `describe` gives "train.py:12" and may be called from any thread.
struct CallSiteHooks {
  CallSite (*current)() = nullptr;
  std::string (*describe)(const CallSite& site) = nullptr;
};
void set_call_site_hooks(const CallSiteHooks& hooks);

/// Where the program is now; cheap, since nothing is looked up before `describe`.
CallSite current_call_site();
std::string describe(const CallSite& site);

}  // namespace rondo
