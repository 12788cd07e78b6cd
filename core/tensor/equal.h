// Whether two tensors hold the same bits.
#pragma once

#include "core/tensor/tensor.h"

namespace rondo {

/// Equal shapes, dtypes and bits, where any NaN equals any NaN. Both are in host memory.
bool same_bits(const Tensor& a, const Tensor& b);

}  // namespace rondo
