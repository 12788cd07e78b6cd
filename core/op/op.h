// What every declared op derives from, and how its declaration becomes an OpInfo.
#pragma once

#include <array>
#include <type_traits>

#include "core/op/call.h"
#include "core/op/gradient.h"

namespace rondo {

/// The op's row in the table. Defined in core/ops/registry.cpp alone: an op that is missing from
/// its family's list does not link.
template <class Op>
const OpInfo& info();

/// A family of ops.
template <class... Ops>
struct OpList {};

/// Names of operands ("input") and results ("output", "output1", ...) that the gradient reads.
/// "input:other" is read only where `other` needs a gradient.
struct Saves {
  std::array<std::string_view, 6> names{};
  template <class... Names>
  constexpr explicit Saves(Names... list) : names{list...} {}
  Saves() = default;
};

/// Calling an op object calls the op: on tensors and numbers, or, inside a `compute`, on
/// expressions.
template <class Op>
struct OpBase {
  template <class... Args>
  auto operator()(const Args&... args) const {
    if constexpr ((std::is_same_v<Args, Expr> || ...)) {
      return Op::compute(args...);
    } else if constexpr (Op::schema.many_outputs()) {
      return call_many(info<Op>(), {ArgValue(args)...});
    } else if constexpr ((std::is_same_v<Args, Tensor> && ...)) {
      return call_tensors(args...);
    } else {
      return call_one(info<Op>(), {ArgValue(args)...});
    }
  }

  /// The in-place form: writes the result into the first argument.
  template <class... Args>
  Tensor in_place(const Args&... args) const {
    return call_one_in_place(info<Op>(), {ArgValue(args)...});
  }

 private:
  template <class... Args>
  static Tensor call_tensors(const Args&... args) {
    const OpInfo& op = info<Op>();
    if (op.schema.args.size() != sizeof...(Args)) {
      return call_one(op, {ArgValue(args)...});
    }
    const std::array<Tensor, sizeof...(Args)> inputs{args...};
    Tensor output;
    call(op, inputs, {}, {&output, 1});
    return output;
  }
};

// The rules that the kinds share.
/// The dtype that an elementwise call computes in (16-bit floats then widen).
Dtype elementwise_common(const OpArgs& args);

void infer_elementwise(const OpArgs& args, std::vector<Meta>& outputs);
/// Likewise for ops that write into their first operands. Errors: ShapeError unless all of these
/// have the shape that the operands broadcast to, ArgumentError if one is read-only.
void infer_in_place(const OpArgs& args, std::vector<Meta>& outputs);
void infer_reduction(const OpArgs& args, std::vector<Meta>& outputs);
/// The result has the shape and dtype of the first operand. Errors: ShapeError unless the other
/// operands broadcast to it.
void infer_same(const OpArgs& args, std::vector<Meta>& outputs);

/// For shape rules that do not broadcast: a Scalar may be given as a tensor, and kernels read one
/// element of it. Errors: ArgumentError unless every Scalar has exactly one.
void check_numbers(const OpArgs& args);

/// The axes of a tensor of rank `rank` that a reduction over `dim` (None and an empty list: all)
/// removes, as a mask. Errors: IndexError; ArgumentError for a repeated axis.
std::uint32_t reduction_axes(const Attr& dim, int rank, std::string_view op);

/// The dtype that a reduction of `input` to `output` combines in.
Dtype reduction_compute_dtype(const OpInfo& op, Dtype input, Dtype output);

namespace detail {

/// Notes in `info` what the names in a Saves mean.
void note_saves(OpInfo& info, std::span<const std::string_view> names);

void push(ExprContext& context, Expr result);
template <std::size_t N>
void push(ExprContext& context, const std::array<Expr, N>& results) {
  for (const Expr result : results) {
    push(context, result);
  }
}

/// Calls Op::expressions(context), or Op::compute with as many expressions as it takes.
template <class Op>
void build(ExprContext& c) {
  const auto& x = c.inputs;
  if constexpr (requires { Op::expressions(c); }) {
    Op::expressions(c);
  } else if constexpr (requires { Op::compute(x[0]); }) {
    push(c, Op::compute(x[0]));
  } else if constexpr (requires { Op::compute(x[0], x[1]); }) {
    push(c, Op::compute(x[0], x[1]));
  } else if constexpr (requires { Op::compute(x[0], x[1], x[2]); }) {
    push(c, Op::compute(x[0], x[1], x[2]));
  } else {
    push(c, Op::compute(x[0], x[1], x[2], x[3]));
  }
}

}  // namespace detail

/// The row of the table that `Op` declares.
template <class Op>
OpInfo make_info() {
  OpInfo info;
  info.schema = parse_schema(Op::schema.text);
  info.name = info.schema.name;
  info.dtypes = Op::dtypes;
  if constexpr (requires { Op::doc; }) {
    info.doc = Op::doc;
  }
  if constexpr (requires { Op::version; }) {
    info.version = Op::version;
  }
  Op::fill(info);
  if constexpr (requires { &Op::gradient; }) {
    info.gradient = &Op::gradient;
  } else {
    info.differentiable = info.kind == OpKind::composite;
  }
  if constexpr (requires { Op::kDifferentiable; }) {
    info.differentiable = Op::kDifferentiable;
  }
  if constexpr (requires { Op::kRowIndependent; }) {
    info.row_independent = Op::kRowIndependent;
  }
  if constexpr (requires { Op::kRowsBesideDim; }) {
    info.rows_beside_dim = Op::kRowsBesideDim;
  }
  if constexpr (requires { Op::kMovesOperands; }) {
    info.moves_operands = Op::kMovesOperands;
  }
  if constexpr (requires { Op::kMethod; }) {
    info.method = Op::kMethod;
  }
  if constexpr (requires { Op::saves; }) {
    detail::note_saves(info, Op::saves.names);
  }
  return info;
}

}  // namespace rondo
