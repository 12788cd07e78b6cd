// The exception classes of the module: one for each kind of error.
#pragma once

#include "bindings/python/python.h"
#include "core/base/error.h"

namespace rondo::python {

/// Makes the classes and adds them to `module`.
void add_errors(PyObject* module);

/// The class of a kind. Borrowed.
PyObject* error_class(ErrorKind kind);

}  // namespace rondo::python
