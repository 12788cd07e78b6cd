#include "core/ops/normalize.h"

#include "core/base/error.h"
#include "core/ops/arithmetic.h"
#include "core/ops/create.h"
#include "core/ops/math.h"
#include "core/ops/reduce.h"
#include "core/ops/reshape.h"

namespace rondo {
namespace {

Dtype softmax_dtype(const OpArgs& args) {
  return args.attrs[1].is_none() ? args.inputs[0].dtype() : args.attrs[1].as_dtype();
}

void infer_softmax(const OpArgs& args, std::vector<Meta>& outputs) {
  check_dtype(args.op, "input", softmax_dtype(args));
  normalize_axis(args.attrs[0].as_int(), args.inputs[0].rank(), args.op.name);
  outputs.push_back({args.inputs[0].shape(), softmax_dtype(args)});
}

/// input - its maximum over `dim`, in the compute dtype.
Tensor below_maximum(const OpArgs& args) {
  const Tensor x = to_dtype(args.inputs[0], compute_dtype(softmax_dtype(args)));
  return x - row_max(x, args.attrs[0], true);
}

}  // namespace

void Softmax::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  infer_softmax(args, outputs);
}

void Softmax::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Tensor e = exp(below_maximum(args));
  outputs.push_back(to_dtype(e / sum(e, args.attrs[0], true), softmax_dtype(args)));
}

void Softmax::gradient(GradContext& g) {
  g.set("input", softmax_backward(g.grad(), g.output(), g.attr("dim")));
}

void SoftmaxBackward::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Tensor y = wide(args.inputs[1]);
  const Tensor gy = chain(wide(args.inputs[0]), y);
  const Tensor total = sum(gy, args.attrs[0], true);
  outputs.push_back(to_dtype(gy - chain(total, y), args.inputs[0].dtype()));
}

void LogSoftmax::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  infer_softmax(args, outputs);
}

void LogSoftmax::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Tensor shifted = below_maximum(args);
  const Tensor total = sum(exp(shifted), args.attrs[0], true);
  outputs.push_back(to_dtype(shifted - log(total), softmax_dtype(args)));
}

void LogSoftmax::gradient(GradContext& g) {
  g.set("input", log_softmax_backward(g.grad(), g.output(), g.attr("dim")));
}

void LogSoftmaxBackward::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Tensor grad = wide(args.inputs[0]);
  const Tensor total = sum(grad, args.attrs[0], true);
  const Tensor spread = chain(total, exp(wide(args.inputs[1])));
  outputs.push_back(to_dtype(grad - spread, args.inputs[0].dtype()));
}

namespace {

Tensor affine(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  const Tensor scaled = weight.defined() ? x * wide(weight) : x;
  return bias.defined() ? scaled + wide(bias) : scaled;
}

/// The shape of the first operand with size 1 along the attribute `dims`.
Shape statistics_shape(const OpArgs& args) {
  Shape shape = args.inputs[0].shape();
  for (const std::int64_t dim : args.attrs[0].as_ints()) {
    shape[normalize_axis(dim, shape.rank(), args.op.name)] = 1;
  }
  return shape;
}

}  // namespace

void Standardize::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  infer_same(args, outputs);
  const Meta statistics{statistics_shape(args), compute_dtype(args.inputs[0].dtype())};
  outputs.insert(outputs.end(), 2, statistics);
}

void Standardize::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Tensor x = wide(args.inputs[0]);
  const Attr& dims = args.attrs[0];
  const Tensor center = mean(x, dims, true);
  const Tensor distance = x - center;
  const Tensor variance = mean(distance * distance, dims, true);
  const Tensor y = distance * rsqrt(variance + args.inputs[3]);
  outputs.push_back(to_dtype(affine(y, args.inputs[1], args.inputs[2]), args.inputs[0].dtype()));
  outputs.push_back(center);
  outputs.push_back(variance);
}

namespace {

/// The axes along which an operand of a norm is broadcast.
Ints broadcast_axes(const Shape& whole, const Shape& operand) {
  Ints axes;
  for (int i = 0; i < whole.rank(); ++i) {
    const int own = i - (whole.rank() - operand.rank());
    if (own < 0 || operand[own] == 1) {
      axes.push_back(i);
    }
  }
  return axes;
}

}  // namespace

void Standardize::gradient(GradContext& g) {
  const Tensor& grad = g.grad(0);
  if (g.needs("input")) {
    const Tensor& x = g.input("input");
    const Tensor& center = g.output(1);
    Tensor result;
    const auto add_part = [&](const Tensor& part) {
      result = result.defined() ? result + part : part;
    };
    if (grad.defined()) {
      add_part(standardize_backward(grad, x, center, g.output(2), g.input("weight"), g.input("eps"),
                                    g.attr("dims")));
    }
    const double count = static_cast<double>(g.meta(0).shape.numel()) /
                         static_cast<double>(std::max<std::int64_t>(center.numel(), 1));
    if (g.grad(1).defined()) {
      add_part(expand(g.grad(1) / count, g.meta(0).shape));
    }
    if (g.grad(2).defined()) {
      add_part((g.grad(2) * (2 / count)) * (wide(x) - center));
    }
    g.set("input", result);
  }
  if (g.needs("weight") && grad.defined()) {
    g.set("weight", standardize_weight_backward(
                        grad, g.input("input"), g.output(1), g.output(2), g.input("eps"),
                        broadcast_axes(g.meta(0).shape, g.meta("weight").shape)));
  }
  if (g.needs("bias") && grad.defined()) {
    g.set("bias", grad);
  }
}

void StandardizeBackward::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Attr& dims = args.attrs[0];
  const Tensor scale = rsqrt(wide(args.inputs[3]) + args.inputs[5]);
  const Tensor y = (wide(args.inputs[1]) - wide(args.inputs[2])) * scale;
  const Tensor grad = affine(wide(args.inputs[0]), args.inputs[4], {});
  const Tensor along = mean(grad * y, dims, true);
  const Tensor dx = scale * (grad - mean(grad, dims, true) - y * along);
  outputs.push_back(to_dtype(dx, args.inputs[0].dtype()));
}

void StandardizeWeightBackward::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  infer_same(args, outputs);
  outputs.back().shape = statistics_shape(args);
}

void StandardizeWeightBackward::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Tensor scale = rsqrt(wide(args.inputs[3]) + args.inputs[4]);
  const Tensor y = (wide(args.inputs[1]) - wide(args.inputs[2])) * scale;
  const Tensor product = wide(args.inputs[0]) * y;
  const bool any_axis = !args.attrs[0].as_ints().empty();
  outputs.push_back(
      to_dtype(any_axis ? sum(product, args.attrs[0], true) : product, args.inputs[0].dtype()));
}

void StandardizeWith::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Tensor distance = wide(args.inputs[0]) - wide(args.inputs[1]);
  const Tensor scale = rsqrt(wide(args.inputs[2]) + args.inputs[5]);
  const Tensor y = distance * affine(scale, args.inputs[3], {});
  outputs.push_back(to_dtype(affine(y, {}, args.inputs[4]), args.inputs[0].dtype()));
}

void ScaleToUnit::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Tensor x = wide(args.inputs[0]);
  const Tensor scale = rsqrt(mean(x * x, args.attrs[0], true) + args.inputs[2]);
  outputs.push_back(to_dtype(affine(x * scale, args.inputs[1], {}), args.inputs[0].dtype()));
}

}  // namespace rondo
