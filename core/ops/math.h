// Functions of one operand and powers: exponentials, logarithms, roots, hyperbolic functions.
#pragma once

#include "core/op/elementwise.h"
#include "core/ops/arithmetic.h"

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

/// 2 to the power input
struct Exp2 : MathFunction<Exp2> {
  static constexpr Schema schema{"exp2(Tensor input) -> Tensor"};
  static constexpr Saves saves{"output"};
  static auto compute(auto x) { return fn::exp2(x); }
  static void gradient(GradContext& g);
};
inline constexpr Exp2 exp2;

/// exp(input) - 1, also where that cancels
struct Expm1 : MathFunction<Expm1> {
  static constexpr Schema schema{"expm1(Tensor input) -> Tensor"};
  static constexpr Saves saves{"output"};
  static auto compute(auto x) { return fn::expm1(x); }
  static void gradient(GradContext& g);
};
inline constexpr Expm1 expm1;

/// natural logarithm
struct Log : MathFunction<Log> {
  static constexpr Schema schema{"log(Tensor input) -> Tensor"};
  static constexpr Saves saves{"input"};
  static auto compute(auto x) { return fn::log(x); }
  static void gradient(GradContext& g);
};
inline constexpr Log log;

/// logarithm to base 2
struct Log2 : MathFunction<Log2> {
  static constexpr Schema schema{"log2(Tensor input) -> Tensor"};
  static constexpr Saves saves{"input"};
  static auto compute(auto x) { return fn::log2(x); }
  static void gradient(GradContext& g);
};
inline constexpr Log2 log2;

/// logarithm to base 10
struct Log10 : MathFunction<Log10> {
  static constexpr Schema schema{"log10(Tensor input) -> Tensor"};
  static constexpr Saves saves{"input"};
  static auto compute(auto x) { return fn::log10(x); }
  static void gradient(GradContext& g);
};
inline constexpr Log10 log10;

/// log(1 + input), also where the sum rounds
struct Log1p : MathFunction<Log1p> {
  static constexpr Schema schema{"log1p(Tensor input) -> Tensor"};
  static constexpr Saves saves{"input"};
  static auto compute(auto x) { return fn::log1p(x); }
  static void gradient(GradContext& g);
};
inline constexpr Log1p log1p;

/// square root
struct Sqrt : MathFunction<Sqrt> {
  static constexpr Schema schema{"sqrt(Tensor input) -> Tensor"};
  static constexpr Saves saves{"output"};
  static auto compute(auto x) { return fn::sqrt(x); }
  static void gradient(GradContext& g);
};
inline constexpr Sqrt sqrt;

/// 1 / sqrt(input)
struct Rsqrt : MathFunction<Rsqrt> {
  static constexpr Schema schema{"rsqrt(Tensor input) -> Tensor"};
  static constexpr Saves saves{"output"};
  static auto compute(auto x) { return fn::rsqrt(x); }
  static void gradient(GradContext& g);
};
inline constexpr Rsqrt rsqrt;

/// 1 / input
struct Reciprocal : MathFunction<Reciprocal> {
  static constexpr Schema schema{"reciprocal(Tensor input) -> Tensor"};
  static constexpr Saves saves{"output"};
  static auto compute(auto x) { return fn::reciprocal(x); }
  static void gradient(GradContext& g);
};
inline constexpr Reciprocal reciprocal;

/// input * input
struct Square : Elementwise<Square> {
  static constexpr Schema schema{"square(Tensor input) -> Tensor"};
  static constexpr DtypeSet dtypes = kNumeric;
  static constexpr Saves saves{"input"};
  static auto compute(auto x) { return x * x; }
  static void gradient(GradContext& g);
};
inline constexpr Square square;

/// input to the power exponent. Integers: a negative power is 0, but those of 1 and -1 are exact.
struct Pow : Elementwise<Pow> {
  static constexpr Schema schema{"pow(Tensor input, Tensor exponent) -> Tensor"};
  static constexpr DtypeSet dtypes = kNumeric;
  static constexpr Saves saves{"input", "exponent"};
  static auto compute(auto x, auto y) { return fn::pow(x, y); }
  static void gradient(GradContext& g);
};
inline constexpr Pow pow;

/// hyperbolic sine
struct Sinh : MathFunction<Sinh> {
  static constexpr Schema schema{"sinh(Tensor input) -> Tensor"};
  static constexpr Saves saves{"input"};
  static auto compute(auto x) { return fn::sinh(x); }
  static void gradient(GradContext& g);
};
inline constexpr Sinh sinh;

/// hyperbolic cosine
struct Cosh : MathFunction<Cosh> {
  static constexpr Schema schema{"cosh(Tensor input) -> Tensor"};
  static constexpr Saves saves{"input"};
  static auto compute(auto x) { return fn::cosh(x); }
  static void gradient(GradContext& g);
};
inline constexpr Cosh cosh;

/// hyperbolic tangent
struct Tanh : MathFunction<Tanh> {
  static constexpr Schema schema{"tanh(Tensor input) -> Tensor"};
  static constexpr Saves saves{"output"};
  static auto compute(auto x) { return fn::tanh(x); }
  static void gradient(GradContext& g);
};
inline constexpr Tanh tanh;

/// The gradient of tanh: grad times the slope where it gave `result`.
struct TanhBackward : Elementwise<TanhBackward> {
  static constexpr Schema schema{"tanh_backward(Tensor grad, Tensor result) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kMethod = false;
  static constexpr Saves saves{"grad:result", "result"};
  static auto compute(auto grad, auto y) { return Chain::compute(grad, 1.0 - y * y); }
  static void gradient(GradContext& g);
};
inline constexpr TanhBackward tanh_backward;

/// error function
struct Erf : MathFunction<Erf> {
  static constexpr Schema schema{"erf(Tensor input) -> Tensor"};
  static constexpr Saves saves{"input"};
  static auto compute(auto x) { return fn::erf(x); }
  static void gradient(GradContext& g);
};
inline constexpr Erf erf;

using MathOps = OpList<Exp, Exp2, Expm1, Log, Log2, Log10, Log1p, Sqrt, Rsqrt, Reciprocal, Square,
                       Pow, Sinh, Cosh, Tanh, TanhBackward, Erf>;

}  // namespace rondo
