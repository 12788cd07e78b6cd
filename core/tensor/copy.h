// Copying elements between strided tensors of one dtype.
#pragma once

#include "core/tensor/tensor.h"

namespace rondo {

/// Copies `source` into `target` element by element; shapes and dtypes are equal, memory does not
/// overlap.
void copy_elements(const Tensor& target, const Tensor& source);

}  // namespace rondo
