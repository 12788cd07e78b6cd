// rondo.Generator and the functions on the process's own generator.
#pragma once

#include "bindings/python/python.h"
#include "core/op/generator.h"

namespace rondo::python {

/// Makes the type and adds it and the functions to `module`.
void add_generator(PyObject* module);

/// Draws from a Generator object, or from the default generator for None. Errors: ArgumentError.
RandomDraw draw_from(PyObject* generator);

}  // namespace rondo::python
