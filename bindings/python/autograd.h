// Autograd for Python: the backward pass, the recording mode, and the nodes of the tape.
#pragma once

#include "bindings/python/python.h"
#include "core/autograd/tape.h"

namespace rondo::python {

/// A new object for what a gradient flows to.
PyObject* wrap_node(const GradEdge& edge);

/// Makes the type of the nodes and adds the functions to `module`.
void add_autograd(PyObject* module);

}  // namespace rondo::python
