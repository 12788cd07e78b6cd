// Rounding to integers, and the divisions that round.
#pragma once

#include "core/op/elementwise.h"

namespace rondo {

namespace detail {
/// What is constant between steps: the gradient is 0.
void zero_gradient(GradContext& g);
}  // namespace detail

/// Base of the functions that leave integers as they are.
template <class Op>
struct RoundingFunction : Elementwise<Op> {
  static constexpr DtypeSet dtypes = kNumeric;
  static void gradient(GradContext& g) { detail::zero_gradient(g); }
};

/// the largest integer that is not above input
struct Floor : RoundingFunction<Floor> {
  static constexpr Schema schema{"floor(Tensor input) -> Tensor"};
  static Expr compute(Expr x) { return is_floating(x.reg()) ? fn::floor(x) : x; }
};
inline constexpr Floor floor;

/// the least integer that is not below input
struct Ceil : RoundingFunction<Ceil> {
  static constexpr Schema schema{"ceil(Tensor input) -> Tensor"};
  static Expr compute(Expr x) { return is_floating(x.reg()) ? fn::ceil(x) : x; }
};
inline constexpr Ceil ceil;

/// the integer part
struct Trunc : RoundingFunction<Trunc> {
  static constexpr Schema schema{"trunc(Tensor input) -> Tensor"};
  static Expr compute(Expr x) { return is_floating(x.reg()) ? fn::trunc(x) : x; }
};
inline constexpr Trunc trunc;

/// the nearest integer; halves go to the even one
struct Round : RoundingFunction<Round> {
  static constexpr Schema schema{"round(Tensor input) -> Tensor"};
  static Expr compute(Expr x) { return is_floating(x.reg()) ? fn::round_half_even(x) : x; }
};
inline constexpr Round round;

/// floor(input / other), as Python's //; integers: 0 where other is 0
struct FloorDivide : Elementwise<FloorDivide> {
  static constexpr Schema schema{"floor_divide(Tensor input, Tensor other) -> Tensor"};
  static constexpr DtypeSet dtypes = kNumeric;
  static auto compute(auto x, auto y) { return fn::floor_div(x, y); }
  static void gradient(GradContext& g) { detail::zero_gradient(g); }
};
inline constexpr FloorDivide floor_divide;

/// input - other * floor(input / other), as Python's %: the sign of other; integers: 0 where other
/// is 0
struct Remainder : Elementwise<Remainder> {
  static constexpr Schema schema{"remainder(Tensor input, Tensor other) -> Tensor"};
  static constexpr DtypeSet dtypes = kNumeric;
  static constexpr Saves saves{"input:other", "other:other"};
  static auto compute(auto x, auto y) { return fn::remainder(x, y); }
  static void gradient(GradContext& g);
};
inline constexpr Remainder remainder;

/// input - other * trunc(input / other), as C's fmod: the sign of input; integers: 0 where other
/// is 0
struct Fmod : Elementwise<Fmod> {
  static constexpr Schema schema{"fmod(Tensor input, Tensor other) -> Tensor"};
  static constexpr DtypeSet dtypes = kNumeric;
  static constexpr Saves saves{"input:other", "other:other"};
  static auto compute(auto x, auto y) { return fn::fmod(x, y); }
  static void gradient(GradContext& g);
};
inline constexpr Fmod fmod;

using RoundingOps = OpList<Floor, Ceil, Trunc, Round, FloorDivide, Remainder, Fmod>;

}  // namespace rondo
