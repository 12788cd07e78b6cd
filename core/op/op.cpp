#include "core/op/op.h"

#include <array>

#include "core/base/error.h"
#include "core/op/call.h"

namespace rondo {
namespace {

/// Names the argument whose dtype decides, for error texts.
std::string_view first_operand(const OpArgs& args, std::uint32_t own_dtype) {
  std::size_t operand = 0;
  for (const SchemaArg& arg : args.op.schema.args) {
    if (arg.is_operand()) {
      if (((own_dtype >> operand) & 1U) == 0) {
        return arg.name;
      }
      ++operand;
    }
  }
  return "input";
}

/// Calls visit(argument, operand) for the operands that are given; none of them is a list.
template <class Visit>
void visit_operands(const OpArgs& args, const Visit& visit) {
  std::size_t operand = 0;
  for (const SchemaArg& arg : args.op.schema.args) {
    if (arg.is_operand()) {
      if (args.inputs[operand].defined()) {
        visit(arg, args.inputs[operand]);
      }
      ++operand;
    }
  }
}

bool broadcasts_to(const Shape& from, const Shape& to) {
  const int lead = to.rank() - from.rank();
  bool fits = lead >= 0;
  for (int i = 0; fits && i < from.rank(); ++i) {
    fits = from[i] == 1 || from[i] == to[lead + i];
  }
  return fits;
}

Dtype elementwise_output(const OpArgs& args, Dtype common, std::size_t i) {
  switch (args.op.elementwise.output) {
    case ElementwiseRule::Output::boolean:
      return Dtype::boolean;
    case ElementwiseRule::Output::attribute:
      return args.attrs[0].is_none() ? common : args.attrs[0].as_dtype();
    case ElementwiseRule::Output::own:
      return args.inputs[i].dtype();
    default:
      return common;
  }
}

}  // namespace

Dtype elementwise_common(const OpArgs& args) {
  const ElementwiseRule& rule = args.op.elementwise;
  const Dtype common = promoted_dtype(args.inputs, rule.own_dtype);
  return rule.promote_to_float && !is_floating(common) ? Dtype::float32 : common;
}

void infer_elementwise(const OpArgs& args, std::vector<Meta>& outputs) {
  const Dtype common = elementwise_common(args);
  check_dtype(args.op, first_operand(args, args.op.elementwise.own_dtype), common);
  Shape shape;
  bool first = true;
  for (const Tensor& input : args.inputs) {
    if (input.defined()) {
      shape = first ? input.shape() : broadcast_shapes(shape, input.shape(), args.op.name);
      first = false;
    }
  }
  for (int i = 0; i < args.op.schema.outputs; ++i) {
    outputs.push_back({shape, elementwise_output(args, common, static_cast<std::size_t>(i))});
  }
}

void infer_in_place(const OpArgs& args, std::vector<Meta>& outputs) {
  infer_elementwise(args, outputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& target = args.inputs[i];
    const std::string_view name = args.op.schema.args[i].name;
    check<ArgumentError>(!target.is_immediate() && target.storage()->writable(),
                         "{}: {} is read-only; write into a copy made with clone()", args.op.name,
                         name);
    check<ShapeError>(target.shape() == outputs[i].shape,
                      "{}: {} is {}, the operands broadcast to {}; the shapes must be equal",
                      args.op.name, name, target.shape(), outputs[i].shape);
  }
}

void infer_same(const OpArgs& args, std::vector<Meta>& outputs) {
  const Shape& shape = args.inputs[0].shape();
  check_dtype(args.op, args.op.schema.args[0].name, args.inputs[0].dtype());
  visit_operands(args, [&](const SchemaArg& arg, const Tensor& operand) {
    check<ShapeError>(broadcasts_to(operand.shape(), shape),
                      "{}: {} is {}; it must broadcast to {}", args.op.name, arg.name,
                      operand.shape(), shape);
  });
  outputs.push_back({shape, args.inputs[0].dtype()});
}

void check_numbers(const OpArgs& args) {
  visit_operands(args, [&](const SchemaArg& arg, const Tensor& operand) {
    check<ArgumentError>(arg.type != ArgType::scalar || operand.numel() == 1,
                         "{}: {} has shape {}; expected one number", args.op.name, arg.name,
                         operand.shape());
  });
}

std::uint32_t reduction_axes(const Attr& dim, int rank, std::string_view op) {
  std::span<const std::int64_t> axes;
  if (const auto* one = std::get_if<std::int64_t>(&dim.value())) {
    axes = {one, 1};
  } else if (!dim.is_none()) {
    axes = dim.as_ints();
  }
  if (axes.empty()) {
    return (1U << rank) - 1U;
  }
  std::uint32_t mask = 0;
  for (const std::int64_t axis : axes) {
    const std::uint32_t bit = 1U << normalize_axis(axis, rank, op);
    check<ArgumentError>((mask & bit) == 0, "{}: axis {} is named twice in dim; name it once", op,
                         axis);
    mask |= bit;
  }
  return rank == 0 ? 0U : mask;
}

Dtype reduction_compute_dtype(const OpInfo& op, Dtype input, Dtype output) {
  switch (op.reduction.output) {
    case ReductionRule::Output::boolean:
      return Dtype::boolean;
    case ReductionRule::Output::int64:
      return compute_dtype(input);
    default:
      return compute_dtype(output);
  }
}

namespace {

/// The dtype that the input of a reduction is cast to first, if one is given.
const Attr* asked_dtype(const OpArgs& args) {
  return args.attrs.size() > 2 && !args.attrs[2].is_none() ? &args.attrs[2] : nullptr;
}

Dtype reduction_output(const OpArgs& args, Dtype input) {
  switch (args.op.reduction.output) {
    case ReductionRule::Output::boolean:
      return Dtype::boolean;
    case ReductionRule::Output::int64:
      return Dtype::int64;
    default:
      break;
  }
  if (const Attr* asked = asked_dtype(args)) {
    return asked->as_dtype();
  }
  const bool widens = args.op.reduction.output == ReductionRule::Output::widened;
  return widens && !is_floating(input) ? Dtype::int64 : input;
}

}  // namespace

void infer_reduction(const OpArgs& args, std::vector<Meta>& outputs) {
  const Tensor& input = args.inputs[0];
  const Dtype dtype = reduction_output(args, input.dtype());
  check_dtype(args.op, "input", asked_dtype(args) != nullptr ? dtype : input.dtype());
  check_numbers(args);
  const std::uint32_t axes = reduction_axes(args.attrs[0], input.rank(), args.op.name);
  const bool keep = args.attrs[1].as_bool();
  Shape shape;
  for (int i = 0; i < input.rank(); ++i) {
    const bool reduced = ((axes >> i) & 1U) != 0;
    check<ArgumentError>(!reduced || args.op.reduction.empty_allowed || input.shape()[i] > 0,
                         "{}: axis {} of shape {} is empty; it needs at least one element",
                         args.op.name, i, input.shape());
    if (!reduced) {
      shape.push_back(input.shape()[i]);
    } else if (keep) {
      shape.push_back(1);
    }
  }
  outputs.push_back({shape, dtype});
}

namespace detail {

namespace {

/// One past the last place that an operand takes: a list (always the last operand) takes all that
/// are left.
std::size_t operand_end(const OpInfo& info, std::string_view name, std::size_t begin) {
  const int arg = info.schema.find(name);
  const bool list = info.schema.args[static_cast<std::size_t>(arg)].type == ArgType::tensor_list;
  return list ? info.save_users.size() : begin + 1;
}

}  // namespace

void note_saves(OpInfo& info, std::span<const std::string_view> names) {
  for (const std::string_view entry : names) {
    const std::size_t colon = entry.find(':');
    const std::string_view name = entry.substr(0, colon);
    if (name.starts_with("output")) {
      info.saves |= 1U << (16 + (name.size() > 6 ? name[6] - '0' : 0));
    } else if (!name.empty()) {
      const std::size_t begin = operand_index(info, name);
      const std::uint32_t users = colon == std::string_view::npos
                                      ? ~0U
                                      : 1U << operand_index(info, entry.substr(colon + 1));
      for (std::size_t i = begin; i < operand_end(info, name, begin); ++i) {
        info.saves |= 1U << i;
        info.save_users[i] |= users;
      }
    }
  }
}

void push(ExprContext& context, Expr result) {
  context.outputs.push_back(result);
}

void infer_view(const OpArgs& args, std::vector<Meta>& outputs) {
  const std::array<Tensor, 1> sources{materialize(args.inputs[0])};
  ViewGeometry geometry;
  args.op.view({args.op, sources, args.attrs}, geometry);
  outputs.push_back({geometry.shape, args.inputs[0].dtype()});
}

}  // namespace detail
}  // namespace rondo
