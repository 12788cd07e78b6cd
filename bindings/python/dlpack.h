// Tensors and arrays of other libraries over the same memory, through DLPack (versions 0 and 1).
#pragma once

#include "bindings/python/python.h"

namespace rondo::python {

/// Tensor.__dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None)
PyObject* tensor_to_dlpack(PyObject* self, PyObject* args, PyObject* keywords);
PyObject* tensor_dlpack_device(PyObject* self, PyObject* unused);

/// A tensor over the memory of an object with __dlpack__, or of a capsule.
PyObject* from_dlpack(PyObject* module, PyObject* source);

}  // namespace rondo::python
