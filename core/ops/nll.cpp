// The loops behind nll_loss and cross_entropy.
#include "core/base/error.h"
#include "core/ops/index_loops.h"
#include "core/ops/loss.h"

namespace rondo {
namespace {

using detail::AxisSplit;
using detail::class_axis;

AxisSplit class_split(const Shape& shape) {
  return detail::split_axis(shape, class_axis(shape));
}

/// The class of each target, -1 for those that are ignored. Errors: IndexError.
std::vector<std::int64_t> read_classes(const Tensor& target, std::int64_t classes, int axis,
                                       std::int64_t ignored) {
  const Tensor source = detail::dense(target);
  std::vector<std::int64_t> result(static_cast<std::size_t>(source.numel()));
  const bool narrow = source.dtype() == Dtype::int32;
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::int64_t value = narrow ? detail::elements<std::int32_t>(source)[i]
                                      : detail::elements<std::int64_t>(source)[i];
    check<IndexError>(value == ignored || (value >= 0 && value < classes),
                      "nll_loss: target {} is out of range for axis {} of size {}; expected 0 to "
                      "{}, or {} to ignore it",
                      value, axis, classes, classes - 1, ignored);
    result[i] = value == ignored ? -1 : value;
  }
  return result;
}

/// The weight of each class in the compute type.
template <class Compute>
std::vector<Compute> read_weights(const Tensor& weight, std::int64_t classes) {
  std::vector<Compute> result(static_cast<std::size_t>(classes), Compute{1});
  if (weight.defined()) {
    const Tensor source = detail::dense(weight);
    detail::visit_floating(source.dtype(), [&](auto element) {
      using Element = decltype(element);
      const auto* from = detail::elements<typename Element::Storage>(source);
      for (Compute& value : result) {
        value = static_cast<Compute>(Element::load(*from++));
      }
    });
  }
  return result;
}

/// Checks that target is an input of shape `input` without its classes, and the weight of these.
void check_target(const OpArgs& args, const Shape& input) {
  check<ShapeError>(input.rank() > 0, "{}: input has rank 0; expected an axis of classes",
                    args.op.name);
  const Shape& target = args.inputs[1].shape();
  Shape rest = input;
  rest.erase(class_axis(input));
  check<ShapeError>(target == rest, "{}: target is {}; expected {} for an input of {}",
                    args.op.name, target, rest, input);
  detail::check_index_dtype(args.op, "target", args.inputs[1]);
  const Tensor& weight = args.inputs[2];
  const std::int64_t classes = input[class_axis(input)];
  check<ShapeError>(!weight.defined() || weight.shape() == Shape{classes},
                    "{}: weight is {}; expected one element for each of {} classes", args.op.name,
                    weight.defined() ? weight.shape() : rest, classes);
}

}  // namespace

void NllTerms::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  const Tensor& input = args.inputs[0];
  check_dtype(args.op, "input", input.dtype());
  check_target(args, input.shape());
  outputs.push_back({args.inputs[1].shape(), compute_dtype(input.dtype())});
  outputs.push_back({args.inputs[1].shape(), compute_dtype(input.dtype())});
}

void NllTerms::run(const OpArgs& args, std::span<Tensor> outputs) {
  const Tensor input = detail::dense(args.inputs[0]);
  const AxisSplit split = class_split(input.shape());
  const std::vector<std::int64_t> classes =
      read_classes(args.inputs[1], split.size, class_axis(input.shape()), args.attrs[0].as_int());
  detail::visit_floating(input.dtype(), [&](auto element) {
    using Element = decltype(element);
    using Compute = typename Element::Compute;
    const std::vector<Compute> weights = read_weights<Compute>(args.inputs[2], split.size);
    const auto* from = detail::elements<typename Element::Storage>(input);
    auto* losses = detail::raw_elements<Compute>(outputs[0]);
    auto* used = detail::raw_elements<Compute>(outputs[1]);
    for (std::int64_t p = 0; p < split.outer * split.inner; ++p) {
      const std::int64_t label = classes[static_cast<std::size_t>(p)];
      if (label < 0) {
        losses[p] = 0;
        used[p] = 0;
        continue;
      }
      const std::int64_t row = p / split.inner * split.size + label;
      used[p] = weights[static_cast<std::size_t>(label)];
      losses[p] = -used[p] * Element::load(from[row * split.inner + p % split.inner]);
    }
  });
}

void NllTerms::gradient(GradContext& g) {
  if (g.grad(0).defined()) {
    g.set("input", nll_terms_backward(g.grad(0), g.input("target"), g.input("weight"),
                                      g.meta(0).shape, g.attr("ignore_index")));
  }
}

void NllTermsBackward::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  const Shape size(args.attr("size").as_ints());
  check_dtype(args.op, "grad", args.inputs[0].dtype());
  check_target(args, size);
  const Shape& grad = args.inputs[0].shape();
  check<ShapeError>(grad == args.inputs[1].shape(),
                    "{}: grad is {}, target is {}; the shapes must "
                    "be equal",
                    args.op.name, grad, args.inputs[1].shape());
  outputs.push_back({size, args.inputs[0].dtype()});
}

void NllTermsBackward::run(const OpArgs& args, std::span<Tensor> outputs) {
  const Tensor grad = detail::dense(args.inputs[0]);
  const Shape& shape = outputs[0].shape();
  const AxisSplit split = class_split(shape);
  const std::vector<std::int64_t> classes = read_classes(
      args.inputs[1], split.size, class_axis(shape), args.attr("ignore_index").as_int());
  detail::fill_zero(outputs[0]);
  detail::visit_floating(grad.dtype(), [&](auto element) {
    using Element = decltype(element);
    using Compute = typename Element::Compute;
    const std::vector<Compute> weights = read_weights<Compute>(args.inputs[2], split.size);
    const auto* from = detail::elements<typename Element::Storage>(grad);
    auto* to = detail::raw_elements<typename Element::Storage>(outputs[0]);
    for (std::int64_t p = 0; p < split.outer * split.inner; ++p) {
      const std::int64_t label = classes[static_cast<std::size_t>(p)];
      if (label >= 0) {
        const std::int64_t row = p / split.inner * split.size + label;
        const Compute product = -weights[static_cast<std::size_t>(label)] * Element::load(from[p]);
        to[row * split.inner + p % split.inner] = Element::store(product);
      }
    }
  });
}

void NllTermsBackward::gradient(GradContext& g) {
  g.set("grad",
        nll_terms(g.grad(), g.input("target"), g.input("weight"), g.attr("ignore_index"))[0]);
}

}  // namespace rondo
