// Scalar expressions: what the `compute` of an op builds when it is run on symbols instead of
// numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "core/op/scalar_op.h"

namespace rondo {

/// A node of a scalar expression. Inputs are numbered by whoever builds the expression.
struct ExprNode {
  enum class Kind : std::uint8_t { input, constant, op };
  Kind kind = Kind::constant;
  ScalarOp op = ScalarOp::add;
  Reg reg = Reg::f32;
  int a = -1, b = -1, c = -1;  // nodes; for an input, `a` is its number
  std::uint64_t bits = 0;      // of a constant, in its class
};

class Expr;

/// Nodes in SSA order; equal nodes are one.
class ExprGraph {
 public:
  Expr input(int number, Reg reg);
  Expr constant(double value, Reg reg);
  Expr apply(ScalarOp op, Expr a, Expr b, Expr c);
  const std::vector<ExprNode>& nodes() const { return nodes_; }

 private:
  Expr add(const ExprNode& node);
  std::vector<ExprNode> nodes_;
};

/// A symbol for a value; absent for an optional operand that was not given.
class Expr {
 public:
  Expr() = default;
  Expr(ExprGraph* graph, int id) : graph_(graph), id_(id) {}
  bool present() const { return graph_ != nullptr; }
  int id() const { return id_; }
  Reg reg() const { return graph_->nodes()[static_cast<std::size_t>(id_)].reg; }
  ExprGraph& graph() const { return *graph_; }
  /// `value` in the class of this expression.
  Expr like(double value) const { return graph_->constant(value, reg()); }

 private:
  ExprGraph* graph_ = nullptr;
  int id_ = -1;
};

/// The bits of `value` as a constant of class `reg`.
std::uint64_t constant_bits(double value, Reg reg);

/// The scalar functions on expressions; bodies of `compute` call them as fn::exp(x).
namespace fn {

inline Expr apply(ScalarOp op, Expr a) {
  return a.graph().apply(op, a, {}, {});
}
inline Expr apply(ScalarOp op, Expr a, Expr b) {
  return a.graph().apply(op, a, b, {});
}
inline Expr apply(ScalarOp op, Expr a, Expr b, Expr c) {
  return a.graph().apply(op, a, b, c);
}

#define RONDO_FN1(name)              \
  inline Expr name(Expr a) {         \
    return apply(ScalarOp::name, a); \
  }
#define RONDO_FN2(name)                         \
  inline Expr name(Expr a, Expr b) {            \
    return apply(ScalarOp::name, a, b);         \
  }                                             \
  inline Expr name(Expr a, double b) {          \
    return apply(ScalarOp::name, a, a.like(b)); \
  }                                             \
  inline Expr name(double a, Expr b) {          \
    return apply(ScalarOp::name, b.like(a), b); \
  }
#define RONDO_FN3(name)                      \
  inline Expr name(Expr a, Expr b, Expr c) { \
    return apply(ScalarOp::name, a, b, c);   \
  }
#define RONDO_FN(name, arity, kind) RONDO_FN##arity(name)
RONDO_SCALAR_OPS(RONDO_FN)
#undef RONDO_FN
#undef RONDO_FN1
#undef RONDO_FN2
#undef RONDO_FN3

inline Expr select(Expr condition, Expr a, double b) {
  return select(condition, a, a.like(b));
}
inline Expr select(Expr condition, double a, Expr b) {
  return select(condition, b.like(a), b);
}

/// The value converted to class `reg`.
Expr convert(Expr a, Reg reg);
/// The value brought to what `dtype` can hold, converted to its class if need be.
Expr round_to(Expr a, Dtype dtype);
/// 1 where `a` is not 0, as an i32.
Expr truth(Expr a);
Expr logical_not(Expr a);

}  // namespace fn

inline Expr operator+(Expr a, Expr b) {
  return fn::add(a, b);
}
inline Expr operator-(Expr a, Expr b) {
  return fn::sub(a, b);
}
inline Expr operator*(Expr a, Expr b) {
  return fn::mul(a, b);
}
inline Expr operator/(Expr a, Expr b) {
  return fn::div(a, b);
}
inline Expr operator+(Expr a, double b) {
  return fn::add(a, b);
}
inline Expr operator-(Expr a, double b) {
  return fn::sub(a, b);
}
inline Expr operator*(Expr a, double b) {
  return fn::mul(a, b);
}
inline Expr operator/(Expr a, double b) {
  return fn::div(a, b);
}
inline Expr operator+(double a, Expr b) {
  return fn::add(a, b);
}
inline Expr operator-(double a, Expr b) {
  return fn::sub(a, b);
}
inline Expr operator*(double a, Expr b) {
  return fn::mul(a, b);
}
inline Expr operator/(double a, Expr b) {
  return fn::div(a, b);
}
inline Expr operator-(Expr a) {
  return fn::neg(a);
}

}  // namespace rondo
