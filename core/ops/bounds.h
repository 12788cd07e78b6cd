// Bounds and magnitudes: minimum, maximum, clamp, abs, sign.
#pragma once

#include "core/op/elementwise.h"

namespace rondo {

/// the larger operand; NaN if either is NaN. Equal operands share the gradient.
struct Maximum : Elementwise<Maximum> {
  static constexpr Schema schema{"maximum(Tensor input, Tensor other) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr Saves saves{"input", "other"};
  static auto compute(auto x, auto y) { return fn::maximum(x, y); }
  static void gradient(GradContext& g);
};
inline constexpr Maximum maximum;

/// the smaller operand; NaN if either is NaN. Equal operands share the gradient.
struct Minimum : Elementwise<Minimum> {
  static constexpr Schema schema{"minimum(Tensor input, Tensor other) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr Saves saves{"input", "other"};
  static auto compute(auto x, auto y) { return fn::minimum(x, y); }
  static void gradient(GradContext& g);
};
inline constexpr Minimum minimum;

/// min(max(input, min), max): where min is above max, it is max. NaN propagates from every operand.
/// Errors: ArgumentError if neither bound is given.
struct Clamp : Elementwise<Clamp> {
  static constexpr Schema schema{
      "clamp(Tensor input, Tensor? min=None, Tensor? max=None) -> Tensor"};
  static constexpr DtypeSet dtypes = kNumeric;
  static constexpr Saves saves{"input", "min", "max"};
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static Expr compute(Expr x, Expr low, Expr high) {
    const Expr raised = low.present() ? fn::maximum(x, low) : x;
    return high.present() ? fn::minimum(raised, high) : raised;
  }
  static void gradient(GradContext& g);
};
inline constexpr Clamp clamp;

/// absolute value; of the least integer, itself
struct Abs : Elementwise<Abs> {
  static constexpr Schema schema{"abs(Tensor input) -> Tensor"};
  static constexpr DtypeSet dtypes = kNumeric;
  static constexpr Saves saves{"input"};
  static auto compute(auto x) { return fn::abs(x); }
  static void gradient(GradContext& g);
};
inline constexpr Abs abs;

/// -1, 0 or 1; NaN stays NaN
struct Sign : Elementwise<Sign> {
  static constexpr Schema schema{"sign(Tensor input) -> Tensor"};
  static constexpr DtypeSet dtypes = kNumeric;
  static auto compute(auto x) { return fn::sign(x); }
  static void gradient(GradContext& g);
};
inline constexpr Sign sign;

/// NaN and infinities replaced; those not given by the largest and the least number of the dtype
struct NanToNum : Elementwise<NanToNum> {
  static constexpr Schema schema{
      "nan_to_num(Tensor input, Scalar nan=0.0, Scalar? posinf=None, Scalar? neginf=None) -> "
      "Tensor"};
  static constexpr DtypeSet dtypes = kNumeric;
  static constexpr std::uint32_t kOwnDtype = 0b1110;
  static constexpr Saves saves{"input"};
  static void expressions(ExprContext& c);
  static void gradient(GradContext& g);
};
inline constexpr NanToNum nan_to_num;

using BoundsOps = OpList<Maximum, Minimum, Clamp, Abs, Sign, NanToNum>;

}  // namespace rondo
