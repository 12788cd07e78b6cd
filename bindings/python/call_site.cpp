#include "bindings/python/call_site.h"

#include <array>
#include <cstdint>
#include <string>
#include <unordered_set>

#include "bindings/python/arguments.h"

namespace rondo::python {
namespace {

thread_local const CallSite* released_site = nullptr;

/// Sites hold code objects by address, so code that has called an op is never freed. `recent`
/// spares most looks into the set.
void keep(PyCodeObject* code) {
  static std::array<PyCodeObject*, 1024> recent{};
  static auto* const kept = new std::unordered_set<PyCodeObject*>;
  PyCodeObject*& slot = recent[(reinterpret_cast<std::uintptr_t>(code) >> 4) % recent.size()];
  if (slot != code) {
    slot = code;
    if (kept->insert(code).second) {
      Py_INCREF(code);
    }
  }
}

CallSite python_site() {
  if (released_site != nullptr) {
    return *released_site;
  }
  if (PyGILState_Check() == 0) {
    return {};
  }
  PyFrameObject* frame = PyEval_GetFrame();
  if (frame == nullptr) {
    return {};
  }
  PyCodeObject* code = PyFrame_GetCode(frame);
  keep(code);
  Py_DECREF(code);
  return {code, PyFrame_GetLasti(frame)};
}

std::string line_of(const CallSite& site) {
  const GilAcquire gil;
  auto* code = const_cast<PyCodeObject*>(static_cast<const PyCodeObject*>(site.code));
  const PyRef file =
      owned(PyObject_GetAttrString(reinterpret_cast<PyObject*>(code), "co_filename"));
  return std::string(to_text(file.get())) + ":" +
         std::to_string(PyCode_Addr2Line(code, site.instruction));
}

}  // namespace

void add_call_sites() {
  set_call_site_hooks({python_site, line_of});
}

CallRelease::CallRelease() : site_(python_site()), previous_(released_site) {
  released_site = &site_;
}

CallRelease::~CallRelease() {
  released_site = previous_;
}

}  // namespace rondo::python
