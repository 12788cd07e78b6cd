// Cases: steps of optimizers.
#include <algorithm>
#include <cmath>

#include "tests/core/ops/cases.h"
#include "tests/support/tensors.h"

namespace rondo::test {
namespace {

Tensor state(unsigned seed, double low = -1) {
  return uniform({5}, low, 1, seed);
}

/// The parameter after a step of Adam: from `kept`, along the first moment, by the second.
double moved(double kept, double first, double second) {
  return kept - 0.1 * (first / 0.19) / (std::sqrt(second / 0.0199) + 1e-8);
}

std::vector<Values> momentum_step(const Args& args) {
  const Values p = values(tensor_arg(args, 0));
  const Values b = values(tensor_arg(args, 1));
  const Values g = values(tensor_arg(args, 2));
  std::vector<Values> result(2);
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double decayed = g[i] + 0.5 * p[i];
    const double buffer = 0.9 * b[i] + 0.8 * decayed;
    result[0].push_back(p[i] - 0.1 * (decayed + 0.9 * buffer));
    result[1].push_back(buffer);
  }
  return result;
}

std::vector<Values> adam_step(const Args& args) {
  const Values p = values(tensor_arg(args, 0));
  const Values m = values(tensor_arg(args, 1));
  const Values v = values(tensor_arg(args, 2));
  const Values g = values(tensor_arg(args, 3));
  std::vector<Values> result(3);
  for (std::size_t i = 0; i < p.size(); ++i) {
    const double grad = g[i] + 0.5 * p[i];
    result[1].push_back(0.9 * m[i] + 0.1 * grad);
    result[2].push_back(0.99 * v[i] + 0.01 * grad * grad);
    result[0].push_back(moved(p[i], result[1][i], result[2][i]));
  }
  return result;
}

/// Maximizes, with decay apart from the gradient.
std::vector<Values> adamw_step(const Args& args) {
  const Values p = values(tensor_arg(args, 0));
  const Values m = values(tensor_arg(args, 1));
  const Values v = values(tensor_arg(args, 2));
  const Values g = values(tensor_arg(args, 3));
  std::vector<Values> result(3);
  for (std::size_t i = 0; i < p.size(); ++i) {
    result[1].push_back(0.9 * m[i] - 0.1 * g[i]);
    result[2].push_back(0.99 * v[i] + 0.01 * g[i] * g[i]);
    result[0].push_back(moved(p[i] * 0.95, result[1][i], result[2][i]));
  }
  return result;
}

std::vector<Values> amsgrad_step(const Args& args) {
  const Values p = values(tensor_arg(args, 0));
  const Values m = values(tensor_arg(args, 1));
  const Values v = values(tensor_arg(args, 2));
  const Values most = values(tensor_arg(args, 3));
  const Values g = values(tensor_arg(args, 4));
  std::vector<Values> result(4);
  for (std::size_t i = 0; i < p.size(); ++i) {
    result[1].push_back(0.9 * m[i] + 0.1 * g[i]);
    result[2].push_back(0.99 * v[i] + 0.01 * g[i] * g[i]);
    result[3].push_back(std::max(most[i], result[2][i]));
    result[0].push_back(moved(p[i], result[1][i], result[3][i]));
  }
  return result;
}

}  // namespace

std::vector<OpCase> optimize_cases() {
  return {{.op = "sgd_step",
           .args = [] { return Args{state(1), state(2), 0.1, 0.5}; },
           .scalar = [](const Values& v) { return v[0] - v[2] * (v[1] + v[3] * v[0]); },
           .special = false},
          {.op = "sgd_momentum_step",
           .args = [] { return Args{state(1), state(2), state(3), 0.1, 0.9, 0.2, 0.5, true}; },
           .reference = momentum_step},
          {.op = "adam_step",
           .label = "adam",
           .args =
               [] {
                 return Args{state(1), state(2), state(3, 0), state(4), 0.1,   0.9,
                             0.99,     1e-8,     0.5,         0.19,     0.0199};
               },
           .reference = adam_step},
          {.op = "adam_step",
           .label = "adamw",
           .args =
               [] {
                 return Args{state(1), state(2), state(3, 0), state(4), 0.1,  0.9, 0.99,
                             1e-8,     0.5,      0.19,        0.0199,   true, true};
               },
           .reference = adamw_step},
          {.op = "amsgrad_step",
           .args =
               [] {
                 return Args{state(1), state(2), state(3, 0), state(5, 0), state(4), 0.1,
                             0.9,      0.99,     1e-8,        0.0,         0.19,     0.0199};
               },
           .reference = amsgrad_step}};
}

}  // namespace rondo::test
