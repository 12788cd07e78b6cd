// Small helpers for tests: tensors from lists, and back.
#pragma once

#include <cstring>
#include <vector>

#include "core/op/call.h"
#include "jit/initialize.h"

namespace rondo::test {

inline Tensor floats(const Shape& shape, const std::vector<float>& values) {
  jit::initialize();
  const Tensor t = Tensor::empty(shape, Dtype::float32);
  if (!values.empty()) {
    std::memcpy(t.data(), values.data(), values.size() * sizeof(float));
  }
  return t;
}

/// The elements in row-major order.
inline std::vector<double> values(const Tensor& tensor) {
  const Tensor t = contiguous(tensor);
  std::vector<double> result;
  for (std::int64_t i = 0; i < t.numel(); ++i) {
    result.push_back(read_element(t.data() + size_bytes(t.dtype(), i), t.dtype()).to_double());
  }
  return result;
}

}  // namespace rondo::test
