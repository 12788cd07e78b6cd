// Comparisons: the result is bool.
#pragma once

#include "core/op/elementwise.h"

namespace rondo {

/// Base of the comparisons.
template <class Op>
struct Comparison : Elementwise<Op> {
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr auto kOutput = ElementwiseRule::Output::boolean;
  static constexpr bool kDifferentiable = false;
};

/// input == other
struct Eq : Comparison<Eq> {
  static constexpr Schema schema{"eq(Tensor input, Tensor other) -> Tensor"};
  static auto compute(auto x, auto y) { return fn::eq(x, y); }
};
inline constexpr Eq eq;

/// input > other
struct Gt : Comparison<Gt> {
  static constexpr Schema schema{"gt(Tensor input, Tensor other) -> Tensor"};
  static auto compute(auto x, auto y) { return fn::gt(x, y); }
};
inline constexpr Gt gt;

using CompareOps = OpList<Eq, Gt>;

}  // namespace rondo
