// The steps of optimizers over many parameters in one call.
#pragma once

#include "bindings/python/python.h"

namespace rondo::python {

/// Adds the function step_all to `module`.
void add_optimizer_steps(PyObject* module);

}  // namespace rondo::python
