// The elements of tensors as JSON lists.
#pragma once

#include <string>

#include "core/tensor/tensor.h"
#include "serialize/json.h"

namespace rondo::serve {

/// A tensor from a list, flat in row-major order or nested as the shape. Errors: FormatError that
/// names the field and the element.
Tensor read_elements(const serialize::JsonView& data, Dtype dtype, const Shape& shape);

/// Appends the flat list of a contiguous tensor; floats with as many digits as give the same bits
/// again. Errors: ArgumentError that names the output for what JSON cannot hold.
void print_elements(const Tensor& tensor, std::string_view name, std::string& out);

}  // namespace rondo::serve
