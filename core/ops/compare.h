// Comparisons and tests: the result is bool.
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

/// input != other
struct Ne : Comparison<Ne> {
  static constexpr Schema schema{"ne(Tensor input, Tensor other) -> Tensor"};
  static auto compute(auto x, auto y) { return fn::ne(x, y); }
};
inline constexpr Ne ne;

/// input < other
struct Lt : Comparison<Lt> {
  static constexpr Schema schema{"lt(Tensor input, Tensor other) -> Tensor"};
  static auto compute(auto x, auto y) { return fn::lt(x, y); }
};
inline constexpr Lt lt;

/// input <= other
struct Le : Comparison<Le> {
  static constexpr Schema schema{"le(Tensor input, Tensor other) -> Tensor"};
  static auto compute(auto x, auto y) { return fn::le(x, y); }
};
inline constexpr Le le;

/// input > other
struct Gt : Comparison<Gt> {
  static constexpr Schema schema{"gt(Tensor input, Tensor other) -> Tensor"};
  static auto compute(auto x, auto y) { return fn::gt(x, y); }
};
inline constexpr Gt gt;

/// input >= other
struct Ge : Comparison<Ge> {
  static constexpr Schema schema{"ge(Tensor input, Tensor other) -> Tensor"};
  static auto compute(auto x, auto y) { return fn::ge(x, y); }
};
inline constexpr Ge ge;

/// true where input is NaN
struct IsNan : Comparison<IsNan> {
  static constexpr Schema schema{"isnan(Tensor input) -> Tensor"};
  static Expr compute(Expr x) {
    return is_floating(x.reg()) ? fn::isnan(x) : x.graph().constant(0, Reg::i32);
  }
};
inline constexpr IsNan isnan;

/// true where input is infinite
struct IsInf : Comparison<IsInf> {
  static constexpr Schema schema{"isinf(Tensor input) -> Tensor"};
  static Expr compute(Expr x) {
    return is_floating(x.reg()) ? fn::isinf(x) : x.graph().constant(0, Reg::i32);
  }
};
inline constexpr IsInf isinf;

/// true where input is neither NaN nor infinite
struct IsFinite : Comparison<IsFinite> {
  static constexpr Schema schema{"isfinite(Tensor input) -> Tensor"};
  static Expr compute(Expr x) {
    return is_floating(x.reg()) ? fn::isfinite(x) : x.graph().constant(1, Reg::i32);
  }
};
inline constexpr IsFinite isfinite;

using CompareOps = OpList<Eq, Ne, Lt, Le, Gt, Ge, IsNan, IsInf, IsFinite>;

}  // namespace rondo
