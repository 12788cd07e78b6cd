// Optimizers over a session's parameters: the steps of core/ops/optimize.h, in the order and with
// the numbers of the Python package, so that the bits are the same.
#pragma once

#include <cstdint>
#include <memory>
#include <variant>
#include <vector>

#include "core/tensor/tensor.h"

namespace rondo::jit {

struct SgdOptions {
  double lr = 1e-3;
  double momentum = 0;
  double dampening = 0;
  double weight_decay = 0;
  bool nesterov = false;
  bool maximize = false;
};

struct AdamOptions {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;
  bool decoupled = false;  // AdamW
  bool amsgrad = false;
  bool maximize = false;
};

class Optimizer {
 public:
  /// Errors: ArgumentError for a negative number, betas outside of [0, 1), nesterov without a
  /// momentum or with dampening, no parameters.
  Optimizer(std::vector<Tensor> parameters, const SgdOptions& options);
  Optimizer(std::vector<Tensor> parameters, const AdamOptions& options);

  /// Moves every parameter that has a gradient.
  void step();
  /// The learning rate from now on. Errors: ArgumentError if it is negative.
  void set_lr(double lr);

 private:
  struct State {
    std::vector<Tensor> tensors;  // momentum buffer, or the moments; empty before the first step
    std::int64_t steps = 0;
  };

  void step(const SgdOptions& options);
  void step(const AdamOptions& options);

  std::vector<Tensor> parameters_;
  std::vector<State> states_;
  std::variant<SgdOptions, AdamOptions> options_;
};

}  // namespace rondo::jit
