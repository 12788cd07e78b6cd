// Calls of functions with a gradient written in Python, on the tape: autograd.Function.
#pragma once

#include <string_view>

#include "bindings/python/python.h"
#include "core/autograd/tape.h"

namespace rondo::python {

/// The name of such a function; empty for the node of an op.
std::string_view function_name(const GradNode& node);

/// Adds `record_function` to the module.
void add_function_nodes(PyObject* module);

}  // namespace rondo::python
