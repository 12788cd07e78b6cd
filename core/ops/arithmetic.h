// Arithmetic on two operands, and the operators of C++ on tensors.
#pragma once

#include "core/op/elementwise.h"

namespace rondo {

/// input + other
struct Add : Elementwise<Add> {
  static constexpr Schema schema{"add(Tensor input, Tensor other) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static auto compute(auto x, auto y) { return x + y; }
  static void gradient(GradContext& g) {
    g.set("input", g.grad());
    g.set("other", g.grad());
  }
};
inline constexpr Add add;

/// input - other
struct Sub : Elementwise<Sub> {
  static constexpr Schema schema{"sub(Tensor input, Tensor other) -> Tensor"};
  static constexpr DtypeSet dtypes = kNumeric;
  static auto compute(auto x, auto y) { return x - y; }
  static void gradient(GradContext& g);
};
inline constexpr Sub sub;

/// input * other
struct Mul : Elementwise<Mul> {
  static constexpr Schema schema{"mul(Tensor input, Tensor other) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr Saves saves{"input:other", "other:input"};
  static auto compute(auto x, auto y) { return x * y; }
  static void gradient(GradContext& g);
};
inline constexpr Mul mul;

/// input / other; integers divide as float32
struct Div : Elementwise<Div> {
  static constexpr Schema schema{"div(Tensor input, Tensor other) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kPromoteToFloat = true;
  static constexpr Saves saves{"input:other", "other"};
  static auto compute(auto x, auto y) { return x / y; }
  static void gradient(GradContext& g);
};
inline constexpr Div div;

/// -input
struct Neg : Elementwise<Neg> {
  static constexpr Schema schema{"neg(Tensor input) -> Tensor"};
  static constexpr DtypeSet dtypes = kNumeric;
  static auto compute(auto x) { return -x; }
  static void gradient(GradContext& g);
};
inline constexpr Neg neg;

/// grad * factor, and 0 where grad is 0 whatever the factor is: the product of the chain rule.
/// Where `where` or a mask has cut a branch off, its gradient stays 0, also if its derivative is
/// infinite or NaN there.
struct Chain : Elementwise<Chain> {
  static constexpr Schema schema{"chain(Tensor grad, Tensor factor) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kMethod = false;
  static constexpr Saves saves{"grad:factor", "factor:grad"};
  static auto compute(auto grad, auto factor) {
    return fn::select(fn::eq(grad, 0.0), grad, grad * factor);
  }
  static void gradient(GradContext& g);
};
inline constexpr Chain chain;

/// grad / divisor, and 0 where grad is 0 whatever the divisor is.
struct ChainDiv : Elementwise<ChainDiv> {
  static constexpr Schema schema{"chain_div(Tensor grad, Tensor divisor) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kMethod = false;
  static constexpr Saves saves{"grad:divisor", "divisor"};
  static auto compute(auto grad, auto divisor) {
    return fn::select(fn::eq(grad, 0.0), grad, grad / divisor);
  }
  static void gradient(GradContext& g);
};
inline constexpr ChainDiv chain_div;

/// input + value * tensor1 * tensor2
struct Addcmul : Elementwise<Addcmul> {
  static constexpr Schema schema{
      "addcmul(Tensor input, Tensor tensor1, Tensor tensor2, Scalar value=1) -> Tensor"};
  static constexpr DtypeSet dtypes = kNumeric;
  static constexpr Saves saves{"tensor1:tensor2", "tensor2:tensor1", "value"};
  static auto compute(auto x, auto a, auto b, auto value) { return x + value * a * b; }
  static void gradient(GradContext& g);
};
inline constexpr Addcmul addcmul;

/// input + value * tensor1 / tensor2
struct Addcdiv : Elementwise<Addcdiv> {
  static constexpr Schema schema{
      "addcdiv(Tensor input, Tensor tensor1, Tensor tensor2, Scalar value=1) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr Saves saves{"tensor1:tensor2", "tensor2", "value"};
  static auto compute(auto x, auto a, auto b, auto value) { return x + value * a / b; }
  static void gradient(GradContext& g);
};
inline constexpr Addcdiv addcdiv;

/// input + weight * (end - input), computed from the nearer end, so that weights 0 and 1 are exact
struct Lerp : Elementwise<Lerp> {
  static constexpr Schema schema{"lerp(Tensor input, Tensor end, Tensor weight) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr Saves saves{"input:weight", "end:weight", "weight"};
  static auto compute(auto x, auto end, auto weight) {
    const auto span = end - x;
    const auto near_end = fn::ge(fn::abs(weight), 0.5);
    return fn::select(near_end, end - span * (1.0 - weight), x + weight * span);
  }
  static void gradient(GradContext& g);
};
inline constexpr Lerp lerp;

using ArithmeticOps = OpList<Add, Sub, Mul, Div, Neg, Chain, ChainDiv, Addcmul, Addcdiv, Lerp>;

/// A 16-bit float tensor as float32: gradients compute their factors in it, so that only their
/// result is rounded.
Tensor wide(const Tensor& tensor);

/// A tensor or a number, for the operators.
struct Operand {
  Tensor tensor;
  Operand(const Tensor& t) : tensor(t) {}                   // NOLINT(*-explicit-*)
  Operand(double v) : tensor(Tensor::number(Scalar(v))) {}  // NOLINT(*-explicit-*)
  Operand(int v) : tensor(Tensor::number(Scalar(v))) {}     // NOLINT(*-explicit-*)
};

inline Tensor operator+(const Tensor& a, const Operand& b) {
  return add(a, b.tensor);
}
inline Tensor operator-(const Tensor& a, const Operand& b) {
  return sub(a, b.tensor);
}
inline Tensor operator*(const Tensor& a, const Operand& b) {
  return mul(a, b.tensor);
}
inline Tensor operator/(const Tensor& a, const Operand& b) {
  return div(a, b.tensor);
}
inline Tensor operator+(double a, const Tensor& b) {
  return add(Operand(a).tensor, b);
}
inline Tensor operator-(double a, const Tensor& b) {
  return sub(Operand(a).tensor, b);
}
inline Tensor operator*(double a, const Tensor& b) {
  return mul(Operand(a).tensor, b);
}
inline Tensor operator/(double a, const Tensor& b) {
  return div(Operand(a).tensor, b);
}
inline Tensor operator-(const Tensor& a) {
  return neg(a);
}

}  // namespace rondo
