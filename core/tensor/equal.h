// Whether tensors hold the same, or lie in the same places.
#pragma once

#include "core/tensor/tensor.h"

namespace rondo {

/// Equal bits of one element, or both NaN.
bool same_element(const std::byte* a, const std::byte* b, Dtype dtype);

/// Equal shapes, dtypes and bits, where any NaN equals any NaN. They may live on any device.
bool same_bits(const Tensor& a, const Tensor& b);

/// Equal offsets, shapes and strides: over one storage of one dtype, the same view.
inline bool same_geometry(const Tensor& a, const Tensor& b) {
  return a.offset() == b.offset() && a.shape() == b.shape() && a.strides() == b.strides();
}

}  // namespace rondo
