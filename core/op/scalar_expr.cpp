#include "core/op/scalar_expr.h"

#include <bit>

#include "core/base/error.h"
#include "core/tensor/scalar.h"

namespace rondo {

std::uint64_t constant_bits(double value, Reg reg) {
  switch (reg) {
    case Reg::i32:
      return static_cast<std::uint32_t>(static_cast<std::int32_t>(Scalar(value).to_int()));
    case Reg::i64:
      return static_cast<std::uint64_t>(Scalar(value).to_int());
    case Reg::f32:
      return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    default:
      return std::bit_cast<std::uint64_t>(value);
  }
}

Expr ExprGraph::add(const ExprNode& node) {
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const ExprNode& n = nodes_[i];
    if (n.kind == node.kind && n.op == node.op && n.reg == node.reg && n.a == node.a &&
        n.b == node.b && n.c == node.c && n.bits == node.bits) {
      return {this, static_cast<int>(i)};
    }
  }
  nodes_.push_back(node);
  return {this, static_cast<int>(nodes_.size()) - 1};
}

Expr ExprGraph::input(int number, Reg reg) {
  return add({.kind = ExprNode::Kind::input, .reg = reg, .a = number});
}

Expr ExprGraph::constant(double value, Reg reg) {
  return add({.kind = ExprNode::Kind::constant, .reg = reg, .bits = constant_bits(value, reg)});
}

Expr ExprGraph::apply(ScalarOp op, Expr a, Expr b, Expr c) {
  const Expr typed = op == ScalarOp::select ? b : a;
  invariant(scalar_op_takes(op, typed.reg()), "a scalar op on a class that it does not take");
  return add({.kind = ExprNode::Kind::op,
              .op = op,
              .reg = scalar_op_result(op, typed.reg()),
              .a = a.id(),
              .b = b.id(),
              .c = c.id()});
}

namespace fn {

Expr convert(Expr a, Reg reg) {
  if (a.reg() == reg) {
    return a;
  }
  constexpr ScalarOp kConvert[] = {ScalarOp::to_i32, ScalarOp::to_i64, ScalarOp::to_f32,
                                   ScalarOp::to_f64};
  return apply(kConvert[static_cast<int>(reg)], a);
}

Expr round_to(Expr a, Dtype dtype) {
  if (dtype == Dtype::boolean) {
    return truth(a);
  }
  const Expr value = convert(a, reg_of(dtype));
  switch (dtype) {
    case Dtype::uint8:
      return round_u8(value);
    case Dtype::int8:
      return round_i8(value);
    case Dtype::int16:
      return round_i16(value);
    case Dtype::float16:
      return round_f16(value);
    case Dtype::bfloat16:
      return round_bf16(value);
    default:
      return value;
  }
}

Expr truth(Expr a) {
  return ne(a, 0.0);
}
Expr logical_not(Expr a) {
  return eq(a, 0.0);
}

}  // namespace fn
}  // namespace rondo
