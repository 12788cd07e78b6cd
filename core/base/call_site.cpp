#include "core/base/call_site.h"

namespace rondo {
namespace {

CallSiteHooks call_site_hooks;  // set once, when the binding is loaded

}  // namespace

void set_call_site_hooks(const CallSiteHooks& hooks) {
  call_site_hooks = hooks;
}

CallSite current_call_site() {
  return call_site_hooks.current == nullptr ? CallSite{} : call_site_hooks.current();
}

std::string describe(const CallSite& site) {
  return site ? call_site_hooks.describe(site) : std::string("an unknown place");
}

}  // namespace rondo
