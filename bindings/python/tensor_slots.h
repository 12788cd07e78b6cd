// The tables that make up the type Tensor; each file defines what its name says.
#pragma once

#include "bindings/python/python.h"

namespace rondo::python {

extern PyGetSetDef tensor_properties[];  // tensor_properties.cpp
extern PyMethodDef tensor_methods[];     // tensor_methods.cpp

// tensor_number.cpp: slots of the number protocol, ended by {0, nullptr}.
extern const PyType_Slot number_slots[];
PyObject* tensor_compare(PyObject* left, PyObject* right, int operation);

// indexing.cpp
PyObject* tensor_get(PyObject* self, PyObject* key);
int tensor_set(PyObject* self, PyObject* key, PyObject* value);
Py_ssize_t tensor_length(PyObject* self);
PyObject* tensor_iterate(PyObject* self);

}  // namespace rondo::python
