#include "core/ops/activation.h"

#include <numbers>

#include "core/base/error.h"
#include "core/ops/arithmetic.h"
#include "core/ops/bitwise.h"
#include "core/ops/blend.h"
#include "core/ops/compare.h"
#include "core/ops/create.h"
#include "core/ops/math.h"

namespace rondo {
namespace {

constexpr double kHalfRoot = std::numbers::sqrt2 / 2;                          // 1 / sqrt(2)
constexpr double kNormalPeak = std::numbers::inv_sqrtpi * kHalfRoot;           // 1 / sqrt(2 pi)
constexpr double kTanhScale = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;  // sqrt(2 / pi)
constexpr double kTanhCubic = 0.044715;

/// The product of the chain rule in the compute dtype, rounded to the dtype of the gradient.
void set_slope(const OpArgs& args, const Tensor& slope, std::vector<Tensor>& outputs) {
  const Dtype dtype = promoted_dtype(args.inputs.first(2), 0);
  outputs.push_back(to_dtype(chain(wide(args.inputs[0]), slope), dtype));
}

}  // namespace

void Relu::gradient(GradContext& g) {
  g.set("input", where(le(g.output(), 0), 0, g.grad()));
}

void Hardtanh::gradient(GradContext& g) {
  const Tensor& x = g.input("input");
  const Tensor cut = logical_or(le(x, g.input("min_val")), ge(x, g.input("max_val")));
  g.set("input", where(cut, 0, g.grad()));
}

void Relu6::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  outputs.push_back(hardtanh(args.inputs[0], 0, 6));
}

void LeakyRelu::gradient(GradContext& g) {
  const Tensor positive = gt(g.input("input"), 0);
  g.set("input", where(positive, g.grad(), g.grad() * g.input("negative_slope")));
}

void Elu::gradient(GradContext& g) {
  g.set("input", elu_backward(g.grad(), g.input("input"), g.input("alpha")));
}

void EluBackward::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Tensor x = wide(args.inputs[1]);
  set_slope(args, where(gt(x, 0), 1, exp(x) * args.inputs[2]), outputs);
}

void Sigmoid::gradient(GradContext& g) {
  g.set("input", sigmoid_backward(g.grad(), g.output()));
}

void SigmoidBackward::gradient(GradContext& g) {
  g.set("grad", sigmoid_backward(g.grad(), g.input("result")));
  if (g.needs("result")) {
    const Tensor y = wide(g.input("result"));
    g.set("result", chain(g.grad(), chain(wide(g.input("grad")), 1 - 2 * y)));
  }
}

void Logsigmoid::gradient(GradContext& g) {
  g.set("input", chain(g.grad(), sigmoid(-wide(g.input("input")))));
}

void Softplus::gradient(GradContext& g) {
  g.set("input",
        softplus_backward(g.grad(), g.input("input"), g.input("beta"), g.input("threshold")));
}

void SoftplusBackward::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Tensor scaled = wide(args.inputs[1]) * args.inputs[2];
  set_slope(args, where(gt(scaled, args.inputs[3]), 1, sigmoid(scaled)), outputs);
}

void Silu::gradient(GradContext& g) {
  g.set("input", silu_backward(g.grad(), g.input("input")));
}

void SiluBackward::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Tensor x = wide(args.inputs[1]);
  const Tensor s = sigmoid(x);
  set_slope(args, s * (1 + x * (1 - s)), outputs);
}

void Mish::gradient(GradContext& g) {
  g.set("input", mish_backward(g.grad(), g.input("input")));
}

void MishBackward::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Tensor x = wide(args.inputs[1]);
  const Tensor t = tanh(softplus(x));
  set_slope(args, t + x * sigmoid(x) * (1 - t * t), outputs);
}

void Gelu::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  const std::string& name = args.attrs[0].as_string();
  check<ArgumentError>(name == "none" || name == "tanh",
                       "gelu: approximate is \"{}\"; expected \"none\" or \"tanh\"", name);
  infer_elementwise(args, outputs);
}

void Gelu::expressions(ExprContext& c) {
  const Expr x = c.inputs[0];
  const Expr phi = c.attrs[0].as_string() == "tanh"
                       ? fn::tanh(kTanhScale * (x + kTanhCubic * (x * x * x)))
                       : fn::erf(x * kHalfRoot);
  c.outputs.push_back(x * 0.5 * (1.0 + phi));
}

void Gelu::gradient(GradContext& g) {
  g.set("input", gelu_backward(g.grad(), g.input("input"), g.attr("approximate")));
}

void GeluBackward::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Tensor x = wide(args.inputs[1]);
  if (args.attrs[0].as_string() == "tanh") {
    const Tensor square = x * x;
    const Tensor t = tanh(kTanhScale * (x + kTanhCubic * (x * square)));
    const Tensor inner = kTanhScale * (1 + (3 * kTanhCubic) * square);
    set_slope(args, 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * inner, outputs);
  } else {
    const Tensor density = exp(-0.5 * (x * x)) * kNormalPeak;
    set_slope(args, 0.5 * (1 + erf(x * kHalfRoot)) + x * density, outputs);
  }
}

}  // namespace rondo
