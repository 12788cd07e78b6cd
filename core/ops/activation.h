// Activation functions.
#pragma once

#include "core/op/elementwise.h"

namespace rondo {

/// max(input, 0); NaN propagates
struct Relu : Elementwise<Relu> {
  static constexpr Schema schema{"relu(Tensor input) -> Tensor"};
  static constexpr DtypeSet dtypes = kNumeric;
  static constexpr Saves saves{"output"};
  static auto compute(auto x) { return fn::maximum(x, 0.0); }
  static void gradient(GradContext& g);
};
inline constexpr Relu relu;

using ActivationOps = OpList<Relu>;

}  // namespace rondo
