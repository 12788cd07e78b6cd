// Whether tensors hold the same.
#pragma once

#include "core/tensor/tensor.h"

namespace rondo {

/// Equal shapes, dtypes and bits, where any NaN equals any NaN.
bool same_bits(const Tensor& a, const Tensor& b);

}  // namespace rondo
