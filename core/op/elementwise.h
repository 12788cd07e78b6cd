// Elementwise ops: operands broadcast, one expression for each result.
#pragma once

#include "core/op/op.h"

namespace rondo {

/// An op declares `schema`, `dtypes`, `compute` (on expressions) and `gradient`, and, where they
/// differ from the default: kOutput (the dtype of the result), kPromoteToFloat, kOwnDtype (operands
/// outside promotion), kInPlace (the results replace the first operands).
template <class Op>
struct Elementwise : OpBase<Op> {
  static void fill(OpInfo& info) {
    info.kind = OpKind::elementwise;
    info.infer = infer_elementwise;
    info.row_independent = true;
    info.elementwise.build = &detail::build<Op>;
    info.has_in_place = true;
    if constexpr (requires { Op::kOutput; }) {
      info.elementwise.output = Op::kOutput;
    }
    if constexpr (requires { Op::kPromoteToFloat; }) {
      info.elementwise.promote_to_float = Op::kPromoteToFloat;
    }
    if constexpr (requires { Op::kOwnDtype; }) {
      info.elementwise.own_dtype = Op::kOwnDtype;
    }
    if constexpr (requires { Op::kInPlace; }) {
      info.in_place = Op::kInPlace;
      info.has_in_place = false;
      info.elementwise.output = ElementwiseRule::Output::own;
      info.infer = infer_in_place;
    }
    if constexpr (requires { &Op::infer; }) {
      info.infer = &Op::infer;
    }
  }
};

/// Ops of an index alone, such as arange, or of an index and operands: `compute(ExprContext&)`
/// finds the element's index (an i64 expression) after the operands.
template <class Op>
struct Generated : Elementwise<Op> {
  static void fill(OpInfo& info) {
    Elementwise<Op>::fill(info);
    info.uses_index = true;
    info.has_in_place = false;
    info.row_independent = false;
  }
};

/// Random ops: their last two operands are `Scalar? seed=None, Scalar? offset=None`.
template <class Op>
struct Random : Generated<Op> {
  static void fill(OpInfo& info) {
    Generated<Op>::fill(info);
    info.kind = OpKind::random;
    info.deterministic = false;
    info.elementwise.own_dtype |= 3U << (info.schema.operands - 2);
  }
};

}  // namespace rondo
