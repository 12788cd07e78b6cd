#include "jit/optimizer.h"

#include <cmath>

#include "core/autograd/tape.h"
#include "core/base/error.h"
#include "core/op/call.h"
#include "core/ops/create.h"
#include "core/ops/optimize.h"

namespace rondo::jit {
namespace {

void check_not_negative(const char* what, double value) {
  check<ArgumentError>(value >= 0, "optimizer: {} is {}; it must not be negative", what, value);
}

void check_parameters(const std::vector<Tensor>& parameters) {
  check<ArgumentError>(!parameters.empty(), "optimizer: there are no parameters");
}

Tensor gradient_of(const Tensor& parameter) {
  const TensorGrad* meta = grad_meta(parameter);
  return meta == nullptr ? Tensor() : meta->grad;
}

std::vector<Tensor> zeros_beside(const Tensor& parameter, int count) {
  std::vector<Tensor> result;
  for (int i = 0; i < count; ++i) {
    result.push_back(full(parameter.shape(), 0, parameter.dtype()));
  }
  return result;
}

}  // namespace

Optimizer::Optimizer(std::vector<Tensor> parameters, const SgdOptions& options)
    : parameters_(std::move(parameters)), states_(parameters_.size()), options_(options) {
  check_parameters(parameters_);
  check_not_negative("lr", options.lr);
  check_not_negative("momentum", options.momentum);
  check_not_negative("weight_decay", options.weight_decay);
  check<ArgumentError>(
      !options.nesterov || (options.momentum > 0 && options.dampening == 0),
      "optimizer: nesterov with momentum {} and dampening {}; it needs a momentum above 0 "
      "and no dampening",
      options.momentum, options.dampening);
}

Optimizer::Optimizer(std::vector<Tensor> parameters, const AdamOptions& options)
    : parameters_(std::move(parameters)), states_(parameters_.size()), options_(options) {
  check_parameters(parameters_);
  check_not_negative("lr", options.lr);
  check_not_negative("eps", options.eps);
  check_not_negative("weight_decay", options.weight_decay);
  const auto in_range = [](double beta) { return beta >= 0 && beta < 1; };
  check<ArgumentError>(in_range(options.beta1) && in_range(options.beta2),
                       "optimizer: betas are {} and {}; expected numbers from 0 to below 1",
                       options.beta1, options.beta2);
}

void Optimizer::set_lr(double lr) {
  check_not_negative("lr", lr);
  std::visit([lr](auto& options) { options.lr = lr; }, options_);
}

void Optimizer::step() {
  const GradMode no_grad(false);
  std::visit([this](const auto& options) { step(options); }, options_);
}

void Optimizer::step(const SgdOptions& options) {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor& parameter = parameters_[i];
    const Tensor grad = gradient_of(parameter);
    if (!grad.defined()) {
      continue;
    }
    if (options.momentum == 0) {
      sgd_step(parameter, grad, options.lr, options.weight_decay, options.maximize);
      continue;
    }
    std::vector<Tensor>& state = states_[i].tensors;
    const bool first = state.empty();
    if (first) {
      state = zeros_beside(parameter, 1);
    }
    // A first step is not damped.
    sgd_momentum_step(parameter, state[0], grad, options.lr, options.momentum,
                      first ? 0.0 : options.dampening, options.weight_decay, options.nesterov,
                      options.maximize);
  }
}

void Optimizer::step(const AdamOptions& options) {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const Tensor& parameter = parameters_[i];
    const Tensor grad = gradient_of(parameter);
    if (!grad.defined()) {
      continue;
    }
    State& state = states_[i];
    if (state.tensors.empty()) {
      state.tensors = zeros_beside(parameter, options.amsgrad ? 3 : 2);
    }
    const auto steps = static_cast<double>(++state.steps);
    const double correction1 = 1 - std::pow(options.beta1, steps);
    const double correction2 = 1 - std::pow(options.beta2, steps);
    if (options.amsgrad) {
      amsgrad_step(parameter, state.tensors[0], state.tensors[1], state.tensors[2], grad,
                   options.lr, options.beta1, options.beta2, options.eps, options.weight_decay,
                   correction1, correction2, options.decoupled, options.maximize);
    } else {
      adam_step(parameter, state.tensors[0], state.tensors[1], grad, options.lr, options.beta1,
                options.beta2, options.eps, options.weight_decay, correction1, correction2,
                options.decoupled, options.maximize);
    }
  }
}

}  // namespace rondo::jit
