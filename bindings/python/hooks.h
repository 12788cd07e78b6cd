// Python functions that see gradients as they are computed.
#pragma once

#include "bindings/python/python.h"
#include "core/tensor/tensor.h"

namespace rondo::python {

/// Tensor.register_hook: gives a handle with remove().
PyObject* register_hook(PyObject* self, PyObject* function);

/// For the garbage collector: the functions that hang on a tensor that nobody else holds.
int visit_hooks(const Tensor& tensor, visitproc visit, void* arg);
void clear_hooks(const Tensor& tensor);

/// Makes the type of the handles.
void add_hooks(PyObject* module);

}  // namespace rondo::python
