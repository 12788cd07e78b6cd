// The other kinds: views, composites, contractions, and ops that run as a function on memory.
#pragma once

#include "core/op/op.h"

namespace rondo {

namespace detail {
/// A view's metadata comes from its geometry, so it has no shape rule of its own.
void infer_view(const OpArgs& args, std::vector<Meta>& outputs);
}  // namespace detail

/// Views: metadata only, made at once. An op declares `view(args, geometry)`, false where only a
/// copy can have the shape.
template <class Op>
struct View : OpBase<Op> {
  static void fill(OpInfo& info) {
    info.kind = OpKind::view;
    info.infer = detail::infer_view;
    info.view = &Op::view;
  }
};

/// Composites: `body(args, outputs)` in other ops, run as one fused kernel; `infer` gives the
/// metadata. Bodies may use elementwise ops, reductions and views that move, add or drop axes,
/// nothing that depends on sizes. Without a `gradient` the body is differentiated.
template <class Op>
struct Composite : OpBase<Op> {
  static void fill(OpInfo& info) {
    info.kind = OpKind::composite;
    info.infer = &Op::infer;
    info.body = &Op::body;
  }
};

/// Ops that are calls of other ops: `body(args, outputs)` runs at the call, and what it calls is
/// what executors, tracer and archives see. Bodies check their arguments, and may do what they like
/// with sizes and numbers.
template <class Op>
struct Derived : OpBase<Op> {
  static void fill(OpInfo& info) {
    info.kind = OpKind::composite;
    info.derived = true;
    info.body = &Op::body;
    if constexpr (requires { Op::kInPlaceByCopy; }) {
      info.has_in_place = Op::kInPlaceByCopy;
    }
  }
};

/// Products and convolutions.
template <class Op>
struct ContractionOp : OpBase<Op> {
  static void fill(OpInfo& info) {
    info.kind = OpKind::contraction;
    info.infer = &Op::infer;
    info.contraction = Op::kContraction;
  }
};

/// Ops with a function on memory, of kind Op::kKind (index, scan, window or opaque): `infer` and
/// `run(args, outputs)`. With kSkipsUnread a result that nobody reads may be undefined in
/// `outputs`. With kInPlaceByCopy (here and in Derived) the op has an in-place form, which copies
/// the result into the first operand.
template <class Op>
struct FunctionOp : OpBase<Op> {
  static void fill(OpInfo& info) {
    info.kind = Op::kKind;
    info.infer = &Op::infer;
    info.run = &Op::run;
    if constexpr (requires { Op::kChecksData; }) {
      info.checks_data = Op::kChecksData;
    }
    if constexpr (requires { Op::kSkipsUnread; }) {
      info.skips_unread = Op::kSkipsUnread;
    }
    if constexpr (requires { Op::kInPlaceByCopy; }) {
      info.has_in_place = Op::kInPlaceByCopy;
    }
  }
};

}  // namespace rondo
