// Nested lists and numbers of Python to tensors and back.
#pragma once

#include <optional>

#include "bindings/python/python.h"
#include "core/tensor/tensor.h"

namespace rondo::python {

/// A new tensor from numbers, nested sequences, arrays or tensors. Without a dtype: that of the
/// array, else float32, int64 or bool as the numbers are. Errors: ShapeError for ragged lists,
/// ArgumentError for other objects.
Tensor copy_of_data(PyObject* data, std::optional<Dtype> dtype);

/// Numbers in nested lists; a number for rank 0.
PyObject* to_list(const Tensor& tensor);

PyObject* from_scalar(const Scalar& scalar);

}  // namespace rondo::python
