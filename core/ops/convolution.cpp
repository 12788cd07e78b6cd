#include "core/ops/convolution.h"

#include <limits>

#include "core/base/error.h"
#include "core/ops/arithmetic.h"
#include "core/ops/reshape.h"

namespace rondo {
namespace {

/// Larger numbers are refused, so that nothing computed of them overflows.
constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();

/// Number `i` of an attribute that lists two.
std::int64_t number(const OpArgs& args, std::string_view name, std::size_t i, std::int64_t least) {
  const Ints& list = args.attr(name).as_ints();
  check<ArgumentError>(list.size() == 2, "{}: {} has {} numbers; expected two", args.op.name, name,
                       list.size());
  check<ArgumentError>(list[i] >= least, "{}: {} is {}; it must be at least {}", args.op.name, name,
                       list[i], least);
  check<ArgumentError>(list[i] <= kLargest, "{}: {} is {}; it must be at most {}", args.op.name,
                       name, list[i], kLargest);
  return list[i];
}

/// The shape of a convolution's result, after checks of everything that it depends on.
Shape result_shape(const OpArgs& args, const Shape& input, const Shape& weight) {
  const std::string_view op = args.op.name;
  check<ShapeError>(input.rank() == 4 && weight.rank() == 4,
                    "{}: input is {}, weight is {}; expected four axes each", op, input, weight);
  const std::int64_t groups = args.attr("groups").as_int();
  check<ArgumentError>(groups > 0, "{}: groups is {}; it must be positive", op, groups);
  check<ShapeError>(input[1] % groups == 0 && input[1] / groups == weight[1],
                    "{}: input has {} channels, weight takes {} in each of {} groups; the products "
                    "must be equal",
                    op, input[1], weight[1], groups);
  check<ShapeError>(weight[0] % groups == 0, "{}: {} result channels do not divide into {} groups",
                    op, weight[0], groups);
  Shape shape{input[0], weight[0], 0, 0};
  for (std::size_t i = 0; i < 2; ++i) {
    const int axis = static_cast<int>(i) + 2;
    check<ShapeError>(weight[axis] <= kLargest,
                      "{}: weight is {}; its kernel must be at most {} along each axis", op, weight,
                      kLargest);
    const std::int64_t reach = number(args, "dilation", i, 1) * (weight[axis] - 1) + 1;
    const std::int64_t padded = input[axis] + 2 * number(args, "padding", i, 0);
    const std::int64_t stride = number(args, "stride", i, 1);
    check<ShapeError>(weight[axis] > 0 && padded >= reach,
                      "{}: input is {}, a kernel of {} reaches over {}; it must fit into the "
                      "padded input",
                      op, input, weight[axis], reach);
    shape[axis] = (padded - reach) / stride + 1;
  }
  checked_numel(shape, op);
  return shape;
}

void check_dtypes(const OpArgs& args) {
  const std::vector<SchemaArg>& names = args.op.schema.args;
  const Dtype first = args.inputs[0].dtype();
  const Dtype second = args.inputs[1].dtype();
  check_dtype(args.op, names[0].name, first);
  check<DtypeError>(first == second, "{}: {} is {}, {} is {}; the dtypes must be equal",
                    args.op.name, names[0].name, dtype_name(first), names[1].name,
                    dtype_name(second));
}

/// Checks a gradient of the result against what it should be.
void check_grad(const OpArgs& args, const Shape& expected) {
  const Shape& grad = args.inputs[0].shape();
  check<ShapeError>(grad == expected, "{}: grad is {}; expected {}", args.op.name, grad, expected);
}

}  // namespace

void Convolution::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  check_dtypes(args);
  outputs.push_back(
      {result_shape(args, args.inputs[0].shape(), args.inputs[1].shape()), args.inputs[0].dtype()});
}

void Convolution::gradient(GradContext& g) {
  if (g.needs("input")) {
    g.set("input",
          convolution_input(g.grad(), g.input("weight"), g.meta("input").shape, g.attr("stride"),
                            g.attr("padding"), g.attr("dilation"), g.attr("groups")));
  }
  if (g.needs("weight")) {
    g.set("weight",
          convolution_weight(g.grad(), g.input("input"), g.meta("weight").shape, g.attr("stride"),
                             g.attr("padding"), g.attr("dilation"), g.attr("groups")));
  }
}

void ConvolutionInput::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  check_dtypes(args);
  const Shape size(args.attr("size").as_ints());
  check_grad(args, result_shape(args, size, args.inputs[1].shape()));
  outputs.push_back({size, args.inputs[0].dtype()});
}

void ConvolutionInput::gradient(GradContext& g) {
  if (g.needs("grad")) {
    g.set("grad", convolution(g.grad(), g.input("weight"), g.attr("stride"), g.attr("padding"),
                              g.attr("dilation"), g.attr("groups")));
  }
  if (g.needs("weight")) {
    g.set("weight",
          convolution_weight(g.input("grad"), g.grad(), g.meta("weight").shape, g.attr("stride"),
                             g.attr("padding"), g.attr("dilation"), g.attr("groups")));
  }
}

void ConvolutionWeight::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  check_dtypes(args);
  const Shape size(args.attr("size").as_ints());
  check_grad(args, result_shape(args, args.inputs[1].shape(), size));
  outputs.push_back({size, args.inputs[0].dtype()});
}

void ConvolutionWeight::gradient(GradContext& g) {
  if (g.needs("grad")) {
    g.set("grad", convolution(g.input("input"), g.grad(), g.attr("stride"), g.attr("padding"),
                              g.attr("dilation"), g.attr("groups")));
  }
  if (g.needs("input")) {
    g.set("input",
          convolution_input(g.input("grad"), g.grad(), g.meta("input").shape, g.attr("stride"),
                            g.attr("padding"), g.attr("dilation"), g.attr("groups")));
  }
}

namespace {

/// A list of one or two numbers as two; `first` stands in front of a single one if it is given.
Ints pair(const OpArgs& args, std::string_view name, const Ints& first) {
  const Ints& list = args.attr(name).as_ints();
  const std::size_t most = first.empty() ? 2 : 1;
  check<ArgumentError>(!list.empty() && list.size() <= most, "{}: {} has {} numbers; expected {}",
                       args.op.name, name, list.size(), first.empty() ? "one or two" : "one");
  Ints result = first;
  result.push_back(list[0]);
  if (result.size() == 1) {
    result.push_back(list.back());
  }
  return result;
}

/// The convolution of an input with an axis n, and the bias.
Tensor convolve(const OpArgs& args, const Tensor& input, const Tensor& weight, bool one_axis) {
  const Ints one = one_axis ? Ints{1} : Ints{};
  const Ints none = one_axis ? Ints{0} : Ints{};
  Tensor result = convolution(input, weight, pair(args, "stride", one), pair(args, "padding", none),
                              pair(args, "dilation", one), args.attr("groups"));
  Tensor bias = args.inputs[2];
  if (!bias.defined()) {
    return result;
  }
  check<ShapeError>(bias.shape() == Shape{weight.shape()[0]},
                    "{}: bias is {}; expected one element for each of {} channels", args.op.name,
                    bias.shape(), weight.shape()[0]);
  return result + reshape(bias, Shape{weight.shape()[0], 1, 1});
}

void check_ranks(const OpArgs& args, int rank) {
  const Shape& input = args.inputs[0].shape();
  const Shape& weight = args.inputs[1].shape();
  check<ShapeError>((input.rank() == rank || input.rank() == rank - 1) && weight.rank() == rank,
                    "{}: input is {}, weight is {}; expected {} axes each (input may lack the "
                    "first)",
                    args.op.name, input, weight, rank);
}

}  // namespace

void Conv2d::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  check_ranks(args, 4);
  const Tensor& input = args.inputs[0];
  const bool single = input.rank() == 3;
  const Tensor result = convolve(args, single ? unsqueeze(input, 0) : input, args.inputs[1], false);
  outputs.push_back(single ? squeeze(result, 0) : result);
}

void Conv1d::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  check_ranks(args, 3);
  const Tensor& input = args.inputs[0];
  const bool single = input.rank() == 2;
  const Tensor rows = unsqueeze(single ? unsqueeze(input, 0) : input, 2);
  const Tensor result = squeeze(convolve(args, rows, unsqueeze(args.inputs[1], 2), true), 2);
  outputs.push_back(single ? squeeze(result, 0) : result);
}

}  // namespace rondo
