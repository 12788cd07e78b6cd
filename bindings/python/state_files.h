// State dicts in safetensors files: _C.write_state and _C.read_state.
#pragma once

#include "bindings/python/python.h"

namespace rondo::python {

void add_state_files(PyObject* module);

}  // namespace rondo::python
