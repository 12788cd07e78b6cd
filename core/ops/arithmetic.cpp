#include "core/ops/arithmetic.h"

#include "core/ops/create.h"

namespace rondo {

void Sub::gradient(GradContext& g) {
  g.set("input", g.grad());
  if (g.needs("other")) {
    g.set("other", -g.grad());
  }
}

void Mul::gradient(GradContext& g) {
  if (g.needs("input")) {
    g.set("input", chain(g.grad(), g.input("other")));
  }
  if (g.needs("other")) {
    g.set("other", chain(g.grad(), g.input("input")));
  }
}

void Div::gradient(GradContext& g) {
  const Tensor& y = g.input("other");
  const Tensor scaled = chain_div(g.grad(), y);
  g.set("input", scaled);
  if (g.needs("other")) {
    g.set("other", -chain(scaled, wide(g.input("input")) / y));
  }
}

void Neg::gradient(GradContext& g) {
  g.set("input", -g.grad());
}

void Chain::gradient(GradContext& g) {
  if (g.needs("grad")) {
    g.set("grad", chain(g.grad(), g.input("factor")));
  }
  if (g.needs("factor")) {
    g.set("factor", chain(g.grad(), g.input("grad")));
  }
}

void ChainDiv::gradient(GradContext& g) {
  const Tensor& y = g.input("divisor");
  const Tensor scaled = chain_div(g.grad(), y);
  g.set("grad", scaled);
  if (g.needs("divisor")) {
    g.set("divisor", -chain(scaled, chain_div(wide(g.input("grad")), y)));
  }
}

void Addcmul::gradient(GradContext& g) {
  g.set("input", g.grad());
  if (g.needs("tensor1") || g.needs("tensor2")) {
    const Tensor scaled = g.grad() * g.input("value");
    if (g.needs("tensor1")) {
      g.set("tensor1", chain(scaled, g.input("tensor2")));
    }
    if (g.needs("tensor2")) {
      g.set("tensor2", chain(scaled, g.input("tensor1")));
    }
  }
}

void Addcdiv::gradient(GradContext& g) {
  g.set("input", g.grad());
  if (g.needs("tensor1") || g.needs("tensor2")) {
    const Tensor& divisor = g.input("tensor2");
    const Tensor scaled = chain_div(g.grad() * g.input("value"), divisor);
    g.set("tensor1", scaled);
    if (g.needs("tensor2")) {
      g.set("tensor2", -chain(scaled, wide(g.input("tensor1")) / divisor));
    }
  }
}

void Lerp::gradient(GradContext& g) {
  const Tensor weight = wide(g.input("weight"));
  if (g.needs("input")) {
    g.set("input", chain(g.grad(), 1 - weight));
  }
  if (g.needs("end")) {
    g.set("end", chain(g.grad(), weight));
  }
  if (g.needs("weight")) {
    g.set("weight", chain(g.grad(), wide(g.input("end")) - g.input("input")));
  }
}

Tensor wide(const Tensor& tensor) {
  return to_dtype(tensor, compute_dtype(tensor.dtype()));
}

}  // namespace rondo
