// Functions of one operand: exponentials, logarithms, roots, trigonometry.
#pragma once

#include "core/op/elementwise.h"

namespace rondo {

/// Base of the functions that take integers as float32.
template <class Op>
struct MathFunction : Elementwise<Op> {
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kPromoteToFloat = true;
};

/// e to the power input
struct Exp : MathFunction<Exp> {
  static constexpr Schema schema{"exp(Tensor input) -> Tensor"};
  static constexpr Saves saves{"output"};
  static auto compute(auto x) { return fn::exp(x); }
  static void gradient(GradContext& g);
};
inline constexpr Exp exp;

/// hyperbolic tangent
struct Tanh : MathFunction<Tanh> {
  static constexpr Schema schema{"tanh(Tensor input) -> Tensor"};
  static constexpr Saves saves{"output"};
  static auto compute(auto x) { return fn::tanh(x); }
  static void gradient(GradContext& g);
};
inline constexpr Tanh tanh;

using MathOps = OpList<Exp, Tanh>;

}  // namespace rondo
