// The small immutable types of the module: dtype, device and Size.
#pragma once

#include <optional>

#include "bindings/python/python.h"
#include "core/tensor/device.h"
#include "core/tensor/dtype.h"
#include "core/tensor/shape.h"

namespace rondo::python {

/// Makes the types and adds them, and the ten dtypes by their names, to `module`.
void add_value_types(PyObject* module);

/// The object of a dtype. A new reference.
PyObject* from_dtype(Dtype dtype);
/// The dtype that an object stands for: ours, or Python's float, int and bool.
std::optional<Dtype> to_dtype(PyObject* object);

/// A new device object.
PyObject* from_device(Device device);
/// A device object or the name of one. Errors: DeviceError; ArgumentError for another type.
Device to_device(PyObject* object);

/// A new Size (a tuple) of a shape; a plain tuple of integers.
PyObject* from_shape(const Shape& shape);
PyObject* from_integers(const Shape& integers);

}  // namespace rondo::python
