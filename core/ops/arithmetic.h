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

using ArithmeticOps = OpList<Add, Sub, Mul, Div, Neg>;

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
