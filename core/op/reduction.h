// Reductions: combine the elements over axes, in the canonical order.
#pragma once

#include "core/op/op.h"

namespace rondo {

/// An op declares `schema` (with `int[]? dim` and `bool keepdim`), `dtypes`, kCombine and
/// `gradient`; and, where needed, `pre(x)`, `post(value, count, further operands...)`, kOutput and
/// kEmptyAllowed.
template <class Op>
struct Reduction : OpBase<Op> {
  static void fill(OpInfo& info) {
    info.kind = OpKind::reduction;
    info.infer = infer_reduction;
    info.reduction.combine = Op::kCombine;
    if constexpr (requires { Op::kOutput; }) {
      info.reduction.output = Op::kOutput;
    }
    if constexpr (requires { Op::kEmptyAllowed; }) {
      info.reduction.empty_allowed = Op::kEmptyAllowed;
    }
    if constexpr (requires(Expr x) { Op::pre(x); }) {
      info.reduction.pre = [](ExprContext& c) { detail::push(c, Op::pre(c.inputs[0])); };
    }
    if constexpr (requires(Expr x) { Op::post(x, x); }) {
      info.reduction.post = [](ExprContext& c) {
        detail::push(c, Op::post(c.inputs[0], c.inputs[1]));
      };
    } else if constexpr (requires(Expr x) { Op::post(x, x, x); }) {
      info.reduction.post = [](ExprContext& c) {
        detail::push(c, Op::post(c.inputs[0], c.inputs[1], c.inputs[2]));
      };
    }
  }
};

}  // namespace rondo
