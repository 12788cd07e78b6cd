// Copying elements between strided tensors of one dtype, in host memory.
#pragma once

#include "core/tensor/tensor.h"

namespace rondo {

/// Copies `source` into `target` element by element; shapes and dtypes are equal, memory does not
/// overlap.
void copy_elements(const Tensor& target, const Tensor& source);

/// The elements in row-major order: the tensor itself if it is contiguous, else a copy of it.
Tensor contiguous_copy(const Tensor& tensor);

}  // namespace rondo
