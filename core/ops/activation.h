// Activation functions.
#pragma once

#include "core/op/elementwise.h"
#include "core/op/structural.h"
#include "core/ops/arithmetic.h"

namespace rondo {

/// max(input, 0); NaN propagates
struct Relu : Elementwise<Relu> {
  static constexpr Schema schema{"relu(Tensor input) -> Tensor"};
  static constexpr DtypeSet dtypes = kNumeric;
  static constexpr Saves saves{"output"};
  static auto compute(auto x) { return fn::maximum(x, 0.0); }
  static void gradient(GradContext& g);
};
inline constexpr Relu relu;

/// min(max(input, min_val), max_val); NaN propagates
struct Hardtanh : Elementwise<Hardtanh> {
  static constexpr Schema schema{
      "hardtanh(Tensor input, Scalar min_val=-1, Scalar max_val=1) -> Tensor"};
  static constexpr DtypeSet dtypes = kNumeric;
  static constexpr Saves saves{"input", "min_val", "max_val"};
  static auto compute(auto x, auto low, auto high) {
    return fn::minimum(fn::maximum(x, low), high);
  }
  static void gradient(GradContext& g);
};
inline constexpr Hardtanh hardtanh;

/// min(max(input, 0), 6)
struct Relu6 : Derived<Relu6> {
  static constexpr Schema schema{"relu6(Tensor input) -> Tensor"};
  static constexpr DtypeSet dtypes = kNumeric;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr Relu6 relu6;

/// input where it is positive, else negative_slope * input
struct LeakyRelu : Elementwise<LeakyRelu> {
  static constexpr Schema schema{"leaky_relu(Tensor input, Scalar negative_slope=0.01) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr Saves saves{"input", "negative_slope"};
  static auto compute(auto x, auto slope) { return fn::select(fn::gt(x, 0.0), x, x * slope); }
  static void gradient(GradContext& g);
};
inline constexpr LeakyRelu leaky_relu;

/// input where it is positive, else alpha * (exp(input) - 1). Source: Clevert et al. 2015,
/// arXiv:1511.07289.
struct Elu : Elementwise<Elu> {
  static constexpr Schema schema{"elu(Tensor input, Scalar alpha=1.0) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr Saves saves{"input", "alpha"};
  static auto compute(auto x, auto alpha) {
    return fn::select(fn::gt(x, 0.0), x, alpha * fn::expm1(x));
  }
  static void gradient(GradContext& g);
};
inline constexpr Elu elu;

/// 1 / (1 + exp(-input))
struct Sigmoid : Elementwise<Sigmoid> {
  static constexpr Schema schema{"sigmoid(Tensor input) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kPromoteToFloat = true;
  static constexpr Saves saves{"output"};
  static auto compute(auto x) { return fn::sigmoid(x); }
  static void gradient(GradContext& g);
};
inline constexpr Sigmoid sigmoid;

/// The gradient of sigmoid: grad times the slope where it gave `result`.
struct SigmoidBackward : Elementwise<SigmoidBackward> {
  static constexpr Schema schema{"sigmoid_backward(Tensor grad, Tensor result) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kMethod = false;
  static constexpr Saves saves{"grad:result", "result"};
  static auto compute(auto grad, auto y) { return Chain::compute(grad, y * (1.0 - y)); }
  static void gradient(GradContext& g);
};
inline constexpr SigmoidBackward sigmoid_backward;

/// log(sigmoid(input)), without overflow
struct Logsigmoid : Elementwise<Logsigmoid> {
  static constexpr Schema schema{"logsigmoid(Tensor input) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr Saves saves{"input"};
  static auto compute(auto x) { return fn::minimum(x, 0.0) - fn::log1p(fn::exp(-fn::abs(x))); }
  static void gradient(GradContext& g);
};
inline constexpr Logsigmoid logsigmoid;

/// log(1 + exp(beta * input)) / beta; input itself where beta * input is above threshold
struct Softplus : Elementwise<Softplus> {
  static constexpr Schema schema{
      "softplus(Tensor input, Scalar beta=1, Scalar threshold=20) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr Saves saves{"input", "beta", "threshold"};
  static auto compute(auto x, auto beta, auto threshold) {
    const auto scaled = x * beta;
    return fn::select(fn::gt(scaled, threshold), x, fn::log1p(fn::exp(scaled)) / beta);
  }
  static void gradient(GradContext& g);
};
inline constexpr Softplus softplus;

/// input * sigmoid(input). Source: Elfwing et al. 2018, arXiv:1702.03118.
struct Silu : Elementwise<Silu> {
  static constexpr Schema schema{"silu(Tensor input) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr Saves saves{"input"};
  static auto compute(auto x) { return x * fn::sigmoid(x); }
  static void gradient(GradContext& g);
};
inline constexpr Silu silu;

/// input * tanh(softplus(input)). Source: Misra 2019, arXiv:1908.08681.
struct Mish : Elementwise<Mish> {
  static constexpr Schema schema{"mish(Tensor input) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr Saves saves{"input"};
  static auto compute(auto x) {
    const auto soft = fn::maximum(x, 0.0) + fn::log1p(fn::exp(-fn::abs(x)));
    return x * fn::tanh(soft);
  }
  static void gradient(GradContext& g);
};
inline constexpr Mish mish;

/// input times the normal distribution function of it, or ("tanh") an approximation of that.
/// Source: Hendrycks and Gimpel 2016, arXiv:1606.08415. Errors: ArgumentError for another name.
struct Gelu : Elementwise<Gelu> {
  static constexpr Schema schema{"gelu(Tensor input, str approximate=\"none\") -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr Saves saves{"input"};
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void expressions(ExprContext& c);
  static void gradient(GradContext& g);
};
inline constexpr Gelu gelu;

/// Base of gradients that are one kernel: grad times the slope of a function at `input`.
template <class Op>
struct SlopeOp : Composite<Op> {
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kMethod = false;
  static void infer(const OpArgs& args, std::vector<Meta>& outputs) {
    infer_elementwise(args, outputs);
  }
};

/// The gradient of silu.
struct SiluBackward : SlopeOp<SiluBackward> {
  static constexpr Schema schema{"silu_backward(Tensor grad, Tensor input) -> Tensor"};
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr SiluBackward silu_backward;

/// The gradient of mish.
struct MishBackward : SlopeOp<MishBackward> {
  static constexpr Schema schema{"mish_backward(Tensor grad, Tensor input) -> Tensor"};
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr MishBackward mish_backward;

/// The gradient of gelu.
struct GeluBackward : SlopeOp<GeluBackward> {
  static constexpr Schema schema{
      "gelu_backward(Tensor grad, Tensor input, str approximate=\"none\") -> Tensor"};
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr GeluBackward gelu_backward;

/// The gradient of softplus.
struct SoftplusBackward : SlopeOp<SoftplusBackward> {
  static constexpr Schema schema{
      "softplus_backward(Tensor grad, Tensor input, Scalar beta, Scalar threshold) -> Tensor"};
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr SoftplusBackward softplus_backward;

/// The gradient of elu.
struct EluBackward : SlopeOp<EluBackward> {
  static constexpr Schema schema{"elu_backward(Tensor grad, Tensor input, Scalar alpha) -> Tensor"};
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr EluBackward elu_backward;

using ActivationOps = OpList<Relu, Hardtanh, Relu6, LeakyRelu, Elu, Sigmoid, SigmoidBackward,
                             Logsigmoid, Softplus, Silu, Mish, Gelu, SiluBackward, MishBackward,
                             GeluBackward, SoftplusBackward, EluBackward>;

}  // namespace rondo
