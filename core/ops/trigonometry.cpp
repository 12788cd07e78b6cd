#include "core/ops/trigonometry.h"

#include "core/ops/arithmetic.h"

namespace rondo {

void Sin::gradient(GradContext& g) {
  g.set("input", chain(g.grad(), cos(wide(g.input("input")))));
}

void Cos::gradient(GradContext& g) {
  g.set("input", -chain(g.grad(), sin(wide(g.input("input")))));
}

void Tan::gradient(GradContext& g) {
  const Tensor y = wide(g.output());
  g.set("input", chain(g.grad(), 1 + y * y));
}

void Asin::gradient(GradContext& g) {
  const Tensor x = wide(g.input("input"));
  g.set("input", chain(g.grad(), rsqrt(1 - x * x)));
}

void Acos::gradient(GradContext& g) {
  const Tensor x = wide(g.input("input"));
  g.set("input", -chain(g.grad(), rsqrt(1 - x * x)));
}

void Atan::gradient(GradContext& g) {
  const Tensor x = wide(g.input("input"));
  g.set("input", chain_div(g.grad(), x * x + 1));
}

void Atan2::gradient(GradContext& g) {
  const Tensor y = wide(g.input("input"));
  const Tensor x = wide(g.input("other"));
  const Tensor scaled = chain_div(g.grad(), x * x + y * y);
  if (g.needs("input")) {
    g.set("input", chain(scaled, x));
  }
  if (g.needs("other")) {
    g.set("other", -chain(scaled, y));
  }
}

}  // namespace rondo
