// Devices beside the host, for Python: moving tensors there, and what programs ask about them.
#pragma once

#include "bindings/python/python.h"
#include "core/tensor/tensor.h"

namespace rondo::python {

/// The tensor on the host, for a read: queued work has been done, and a tracer has been told.
Tensor on_host(const Tensor& tensor);

/// Adds the functions to the module.
void add_devices(PyObject* module);

}  // namespace rondo::python
