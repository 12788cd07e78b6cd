#include "core/ops/loss.h"

#include "core/base/error.h"
#include "core/ops/activation.h"
#include "core/ops/arithmetic.h"
#include "core/ops/blend.h"
#include "core/ops/bounds.h"
#include "core/ops/compare.h"
#include "core/ops/create.h"
#include "core/ops/math.h"
#include "core/ops/normalize.h"
#include "core/ops/reduce.h"
#include "core/ops/reshape.h"

namespace rondo {
namespace {

const std::string& reduction_of(const OpArgs& args) {
  const std::string& name = args.attr("reduction").as_string();
  check<ArgumentError>(name == "mean" || name == "sum" || name == "none",
                       "{}: reduction is \"{}\"; expected \"mean\", \"sum\" or \"none\"",
                       args.op.name, name);
  return name;
}

Tensor reduced(const OpArgs& args, const Tensor& loss) {
  const std::string& name = reduction_of(args);
  if (name == "none") {
    return loss;
  }
  return name == "mean" ? mean(loss) : sum(loss);
}

double positive_number(const OpArgs& args, std::string_view name, bool zero_allowed) {
  const double value = args.input(name).item().to_double();
  check<ArgumentError>(value > 0 || (zero_allowed && value == 0), "{}: {} is {}; it must be {}",
                       args.op.name, name, value, zero_allowed ? "0 or more" : "positive");
  return value;
}

}  // namespace

void MseLoss::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  outputs.push_back(reduced(args, square(args.inputs[0] - args.inputs[1])));
}

void L1Loss::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  outputs.push_back(reduced(args, abs(args.inputs[0] - args.inputs[1])));
}

void SmoothL1Loss::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const double beta = positive_number(args, "beta", true);
  const Tensor d = abs(args.inputs[0] - args.inputs[1]);
  if (beta == 0) {
    outputs.push_back(reduced(args, d));
    return;
  }
  const Tensor near = square(d) * (0.5 / beta);
  outputs.push_back(reduced(args, where(lt(d, beta), near, d - 0.5 * beta)));
}

void HuberLoss::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const double delta = positive_number(args, "delta", false);
  const Tensor d = abs(args.inputs[0] - args.inputs[1]);
  const Tensor far = delta * (d - 0.5 * delta);
  outputs.push_back(reduced(args, where(lt(d, delta), square(d) * 0.5, far)));
}

void BinaryCrossEntropy::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Tensor& x = args.inputs[0];
  const Tensor& target = args.inputs[1];
  const Tensor hit = clamp(log(x), -100.0);
  const Tensor miss = clamp(log1p(-x), -100.0);
  const Tensor loss = (target - 1) * miss - target * hit;
  outputs.push_back(reduced(args, args.inputs[2].defined() ? loss * args.inputs[2] : loss));
}

void BinaryCrossEntropyWithLogits::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Tensor& x = args.inputs[0];
  const Tensor& target = args.inputs[1];
  const Tensor& pos_weight = args.inputs[3];
  Tensor log_part = logsigmoid(x);
  if (pos_weight.defined()) {
    log_part = log_part * (1 + (pos_weight - 1) * target);
  }
  const Tensor loss = (1 - target) * x - log_part;
  outputs.push_back(reduced(args, args.inputs[2].defined() ? loss * args.inputs[2] : loss));
}

void KlDiv::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Tensor& x = args.inputs[0];
  const Tensor& target = args.inputs[1];
  Tensor loss;
  if (args.attr("log_target").as_bool()) {
    loss = exp(target) * (target - x);
  } else {
    const Tensor entropy = where(eq(target, 0), 0, target * log(target));
    loss = entropy - target * x;
  }
  if (args.attr("reduction").as_string() == "batchmean") {
    const std::int64_t rows = x.rank() == 0 ? 1 : x.shape()[0];
    outputs.push_back(sum(loss) / static_cast<double>(rows));
  } else {
    outputs.push_back(reduced(args, loss));
  }
}

namespace {

/// The reduced loss of the classes that target names, and the terms that it was made of.
Tensor reduce_terms(const OpArgs& args, const std::vector<Tensor>& terms, Dtype dtype) {
  const std::string& name = reduction_of(args);
  Tensor loss = terms[0];
  if (name != "none") {
    loss = sum(loss);
    loss = name == "mean" ? loss / sum(terms[1]) : loss;
  }
  return to_dtype(loss, dtype);
}

}  // namespace

void NllLoss::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const std::vector<Tensor> terms =
      nll_terms(args.inputs[0], args.inputs[1], args.inputs[2], args.attr("ignore_index"));
  outputs.push_back(reduce_terms(args, terms, args.inputs[0].dtype()));
}

namespace {

/// A weight of the classes, shaped so that it broadcasts to the input.
Tensor spread_weight(const OpArgs& args, int axis) {
  Tensor weight = args.inputs[2];
  for (int i = axis + 1; weight.defined() && i < args.inputs[0].rank(); ++i) {
    weight = unsqueeze(weight, -1);
  }
  return weight;
}

/// Cross entropy with probabilities of the classes.
Tensor with_probabilities(const OpArgs& args, int axis, double smoothing) {
  const Tensor& input = args.inputs[0];
  Tensor target = args.inputs[1];
  const double classes = static_cast<double>(input.shape()[axis]);
  target = smoothing > 0 ? target * (1 - smoothing) + smoothing / classes : target;
  const Tensor weight = spread_weight(args, axis);
  Tensor terms = log_softmax(input, axis) * target;
  terms = weight.defined() ? terms * weight : terms;
  const std::string& name = reduction_of(args);
  if (name == "none") {
    return -sum(terms, axis);
  }
  const double rows = static_cast<double>(input.numel()) / classes;
  return name == "mean" ? -sum(terms) / rows : -sum(terms);
}

}  // namespace

void CrossEntropy::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Tensor& input = args.inputs[0];
  const Tensor& target = args.inputs[1];
  const double smoothing = args.inputs[3].item().to_double();
  check<ArgumentError>(smoothing >= 0 && smoothing <= 1,
                       "cross_entropy: label_smoothing is {}; it must be from 0 to 1", smoothing);
  check_dtype(args.op, "input", input.dtype());
  check<ShapeError>(input.rank() > 0,
                    "cross_entropy: input has rank 0; expected an axis of classes");
  const int axis = detail::class_axis(input.shape());
  if (is_floating(target.dtype()) && target.shape() == input.shape()) {
    outputs.push_back(with_probabilities(args, axis, smoothing));
    return;
  }
  const Tensor logs = log_softmax(input, axis, compute_dtype(input.dtype()));
  std::vector<Tensor> terms = nll_terms(logs, target, args.inputs[2], args.attr("ignore_index"));
  if (smoothing > 0) {
    const Tensor weight = spread_weight(args, axis);
    const Tensor all = -sum(weight.defined() ? logs * weight : logs, axis);
    const Tensor counted = ne(target, args.attr("ignore_index").as_int());
    const double share = smoothing / static_cast<double>(input.shape()[axis]);
    terms[0] = terms[0] * (1 - smoothing) + where(counted, all, 0) * share;
  }
  outputs.push_back(reduce_terms(args, terms, input.dtype()));
}

}  // namespace rondo
