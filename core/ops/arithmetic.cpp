#include "core/ops/arithmetic.h"

namespace rondo {

void Sub::gradient(GradContext& g) {
  g.set("input", g.grad());
  if (g.needs("other")) {
    g.set("other", -g.grad());
  }
}

void Mul::gradient(GradContext& g) {
  if (g.needs("input")) {
    g.set("input", g.grad() * g.input("other"));
  }
  if (g.needs("other")) {
    g.set("other", g.grad() * g.input("input"));
  }
}

void Div::gradient(GradContext& g) {
  const Tensor& y = g.input("other");
  const Tensor scaled = g.grad() / y;
  g.set("input", scaled);
  if (g.needs("other")) {
    g.set("other", -(scaled * (g.input("input") / y)));
  }
}

void Neg::gradient(GradContext& g) {
  g.set("input", -g.grad());
}

}  // namespace rondo
