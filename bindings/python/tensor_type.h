// The type rondo.Tensor: a Python object that owns a reference to a tensor.
#pragma once

#include "bindings/python/arguments.h"
#include "core/tensor/tensor.h"

namespace rondo::python {

struct TensorObject {
  PyObject_HEAD Tensor tensor;
  PyObject* dict;
  PyObject* weak_references;
};

/// The type; made by add_tensor_type. Python code of the package adds methods to it.
extern PyTypeObject* tensor_type;

/// Makes the type from the slots of all files and adds it to `module`.
void add_tensor_type(PyObject* module);

inline bool is_tensor(PyObject* object) {
  return Py_TYPE(object) == tensor_type || PyType_IsSubtype(Py_TYPE(object), tensor_type) != 0;
}

/// The tensor of a tensor object.
inline const Tensor& tensor_of(PyObject* object) {
  return reinterpret_cast<TensorObject*>(object)->tensor;
}

/// True for what stands for data: a tensor, a number, or a NumPy array (whose memory is shared).
inline bool to_operand(PyObject* object, Tensor& operand) {
  if (Py_TYPE(object) == tensor_type) [[likely]] {
    operand = tensor_of(object);
    return true;
  }
  return to_operand_slow(object, operand);
}

/// The object of a tensor, the same one as long as it lives; None for an undefined tensor. A new
/// reference. Errors: PythonError.
PyObject* wrap(Tensor tensor);

/// A new object of a subclass. `tensor` must have no object yet.
PyObject* wrap_as(PyTypeObject* type, Tensor tensor);

/// Shows an object to the garbage collector, from when on it may refer to others.
void track(PyObject* object);

/// The tensor of an argument that must be one. Errors: ArgumentError, in the words of `op`.
const Tensor& require_tensor(PyObject* object, const char* op, const char* arg);

}  // namespace rondo::python
