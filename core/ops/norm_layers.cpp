// Layer, group, batch and RMS norm: checks of their arguments, and the ops that they are made of.
#include <limits>

#include "core/base/error.h"
#include "core/ops/arithmetic.h"
#include "core/ops/normalize.h"
#include "core/ops/reshape.h"

namespace rondo {
namespace {

/// The last axes of the input, after checks that they have `normalized_shape`, and so do the
/// operands.
Ints trailing_axes(const OpArgs& args, std::span<const Tensor> operands) {
  const Shape& shape = args.inputs[0].shape();
  const Shape wanted(args.attr("normalized_shape").as_ints());
  const int lead = shape.rank() - wanted.rank();
  check<ShapeError>(wanted.rank() > 0 && lead >= 0 &&
                        Shape(shape.span().last(static_cast<std::size_t>(wanted.rank()))) == wanted,
                    "{}: input is {}; it must end in normalized_shape {}", args.op.name, shape,
                    wanted);
  for (const Tensor& operand : operands) {
    check<ShapeError>(!operand.defined() || operand.shape() == wanted,
                      "{}: weight or bias is {}; expected normalized_shape {}", args.op.name,
                      operand.defined() ? operand.shape() : wanted, wanted);
  }
  Ints axes;
  for (int i = lead; i < shape.rank(); ++i) {
    axes.push_back(i);
  }
  return axes;
}

std::int64_t channels_of(const OpArgs& args) {
  const Shape& shape = args.inputs[0].shape();
  check<ShapeError>(shape.rank() >= 2, "{}: input is {}; expected at least two axes", args.op.name,
                    shape);
  return shape[1];
}

/// An operand of one element a channel, shaped so that it broadcasts to the input.
Tensor per_channel(const OpArgs& args, std::string_view name) {
  Tensor operand = args.input(name);
  if (!operand.defined()) {
    return operand;
  }
  check<ShapeError>(operand.shape() == Shape{channels_of(args)},
                    "{}: {} is {}; expected one element for each of {} channels", args.op.name,
                    name, operand.shape(), channels_of(args));
  for (int i = 2; i < args.inputs[0].rank(); ++i) {
    operand = unsqueeze(operand, -1);
  }
  return operand;
}

}  // namespace

void LayerNorm::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Ints axes = trailing_axes(args, args.inputs.subspan(1, 2));
  outputs.push_back(
      standardize(args.inputs[0], args.inputs[1], args.inputs[2], args.inputs[3], axes)[0]);
}

void RmsNorm::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Ints axes = trailing_axes(args, args.inputs.subspan(1, 1));
  const bool is_double = args.inputs[0].dtype() == Dtype::float64;
  const double smallest = is_double ? std::numeric_limits<double>::epsilon()
                                    : static_cast<double>(std::numeric_limits<float>::epsilon());
  const Tensor eps = args.inputs[2].defined() ? args.inputs[2] : Operand(smallest).tensor;
  outputs.push_back(scale_to_unit(args.inputs[0], args.inputs[1], eps, axes));
}

void GroupNorm::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Tensor& input = args.inputs[0];
  const std::int64_t groups = args.attrs[0].as_int();
  const std::int64_t channels = channels_of(args);
  check<ShapeError>(groups > 0 && channels % groups == 0,
                    "group_norm: {} channels do not divide into {} groups", channels, groups);
  const Tensor weight = per_channel(args, "weight");
  const Tensor bias = per_channel(args, "bias");
  const std::int64_t rows = input.shape()[0] * groups;
  const Shape grouped{input.shape()[0], groups, rows == 0 ? 0 : input.numel() / rows};
  const Tensor flat = reshape(input, grouped);
  const Tensor y =
      reshape(standardize(flat, Tensor(), Tensor(), args.inputs[3], Ints{2})[0], input.shape());
  const Tensor scaled = weight.defined() ? y * weight : y;
  outputs.push_back(bias.defined() ? scaled + bias : scaled);
}

namespace {

/// Moves running statistics towards those of the batch.
void move_running(const OpArgs& args, const Tensor& center, const Tensor& variance) {
  const GradMode no_grad(false);
  const Tensor& momentum = args.input("momentum");
  const std::int64_t count = args.inputs[0].numel() / std::max<std::int64_t>(center.numel(), 1);
  const auto move = [&](const Tensor& running, const Tensor& batch) {
    if (running.defined()) {
      lerp.in_place(running, reshape(batch, running.shape()), momentum);
    }
  };
  move(args.input("running_mean"), center);
  // Over an integer, which exported programs compute from their sizes.
  const Tensor others = Tensor::number(Scalar(static_cast<long>(count - 1)));
  move(args.input("running_var"), variance + variance / others);
}

}  // namespace

void BatchNorm::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Tensor& input = args.inputs[0];
  const std::int64_t channels = channels_of(args);
  const Tensor weight = per_channel(args, "weight");
  const Tensor bias = per_channel(args, "bias");
  const Tensor running_mean = per_channel(args, "running_mean");
  const Tensor running_var = per_channel(args, "running_var");
  const Tensor& eps = args.input("eps");
  if (!args.attr("training").as_bool()) {
    check<ArgumentError>(running_mean.defined() && running_var.defined(),
                         "batch_norm: running_mean or running_var is None; outside of training "
                         "both are required");
    outputs.push_back(standardize_with(input, running_mean, running_var, weight, bias, eps));
    return;
  }
  check<ArgumentError>(input.numel() > channels,
                       "batch_norm: input is {}; training needs more than one value a channel",
                       input.shape());
  Ints axes{0};
  for (int i = 2; i < input.rank(); ++i) {
    axes.push_back(i);
  }
  const std::vector<Tensor> results = standardize(input, weight, bias, eps, axes);
  move_running(args, results[1], results[2]);
  outputs.push_back(results[0]);
}

}  // namespace rondo
