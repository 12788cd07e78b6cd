// Steps of optimizers: one kernel each, written in place. Numbers are operands, so that a schedule
// never compiles anything; what depends on them alone is computed in float64.
#pragma once

#include "core/op/elementwise.h"

namespace rondo {

/// Base of the steps.
template <class Op>
struct StepOp : Elementwise<Op> {
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kInPlace = true;
  static constexpr bool kDifferentiable = false;
  static constexpr bool kMethod = false;
};

/// param -= lr * g with g = grad + weight_decay * param.
struct SgdStep : StepOp<SgdStep> {
  static constexpr Schema schema{
      "sgd_step(Tensor param, Tensor grad, Scalar lr, Scalar weight_decay=0.0, bool "
      "maximize=False) -> Tensor"};
  static constexpr std::uint32_t kOwnDtype = 0b1100;
  static void expressions(ExprContext& c);
};
inline constexpr SgdStep sgd_step;

/// buffer = momentum * buffer + (1 - dampening) * g; param -= lr * buffer, or, with `nesterov`, lr
/// * (g + momentum * buffer). A first step has a buffer of zeros and no dampening. Source:
/// Sutskever et al. 2013.
struct SgdMomentumStep : StepOp<SgdMomentumStep> {
  static constexpr Schema schema{
      "sgd_momentum_step(Tensor param, Tensor momentum_buffer, Tensor grad, Scalar lr, Scalar "
      "momentum, Scalar dampening=0.0, Scalar weight_decay=0.0, bool nesterov=False, bool "
      "maximize=False) -> (Tensor param, Tensor momentum_buffer)"};
  static constexpr std::uint32_t kOwnDtype = 0b1111000;
  static void expressions(ExprContext& c);
};
inline constexpr SgdMomentumStep sgd_momentum_step;

/// A step of Adam, or, `decoupled`, of AdamW; bias_correction1 = 1 - beta1 ** step, likewise 2.
/// Sources: Kingma and Ba 2015, arXiv:1412.6980; Loshchilov and Hutter 2019, arXiv:1711.05101.
struct AdamStep : StepOp<AdamStep> {
  static constexpr Schema schema{
      "adam_step(Tensor param, Tensor exp_avg, Tensor exp_avg_sq, Tensor grad, Scalar lr, Scalar "
      "beta1, Scalar beta2, Scalar eps, Scalar weight_decay, Scalar bias_correction1, Scalar "
      "bias_correction2, bool decoupled=False, bool maximize=False) -> (Tensor param, Tensor "
      "exp_avg, Tensor exp_avg_sq)"};
  static constexpr std::uint32_t kOwnDtype = 0b111'1111'0000;
  static void expressions(ExprContext& c);
};
inline constexpr AdamStep adam_step;

/// adam_step with the largest second moment so far in the denominator. Source: Reddi et al. 2018,
/// arXiv:1904.09237.
struct AmsgradStep : StepOp<AmsgradStep> {
  static constexpr Schema schema{
      "amsgrad_step(Tensor param, Tensor exp_avg, Tensor exp_avg_sq, Tensor max_exp_avg_sq, Tensor "
      "grad, Scalar lr, Scalar beta1, Scalar beta2, Scalar eps, Scalar weight_decay, Scalar "
      "bias_correction1, Scalar bias_correction2, bool decoupled=False, bool maximize=False) -> "
      "(Tensor param, Tensor exp_avg, Tensor exp_avg_sq, Tensor max_exp_avg_sq)"};
  static constexpr std::uint32_t kOwnDtype = 0b1111'1110'0000;
  static void expressions(ExprContext& c);
};
inline constexpr AmsgradStep amsgrad_step;

using OptimizeOps = OpList<SgdStep, SgdMomentumStep, AdamStep, AmsgradStep>;

}  // namespace rondo
