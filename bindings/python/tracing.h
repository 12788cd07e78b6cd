// Control and explanation of the tracer: _C.set_tracing, set_jit_mode, explain and so on.
#pragma once

#include "bindings/python/python.h"

namespace rondo::python {

void add_tracing(PyObject* module);

}  // namespace rondo::python
