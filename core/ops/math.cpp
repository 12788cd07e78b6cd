#include "core/ops/math.h"

#include "core/ops/arithmetic.h"

namespace rondo {

void Exp::gradient(GradContext& g) {
  g.set("input", g.grad() * g.output());
}

void Tanh::gradient(GradContext& g) {
  const Tensor& y = g.output();
  g.set("input", g.grad() * (1 - y * y));
}

}  // namespace rondo
