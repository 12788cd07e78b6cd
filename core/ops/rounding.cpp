#include "core/ops/rounding.h"

#include "core/ops/arithmetic.h"
#include "core/ops/create.h"

namespace rondo {

namespace detail {

void zero_gradient(GradContext& g) {
  for (int i = 0; i < g.inputs(); ++i) {
    if (g.needs(i)) {
      g.set(i, zeros(g.meta(i).shape, g.meta(i).dtype));
    }
  }
}

}  // namespace detail

void Remainder::gradient(GradContext& g) {
  g.set("input", g.grad());
  if (g.needs("other")) {
    const Tensor turns = floor_divide(wide(g.input("input")), g.input("other"));
    g.set("other", -chain(g.grad(), turns));
  }
}

void Fmod::gradient(GradContext& g) {
  g.set("input", g.grad());
  if (g.needs("other")) {
    const Tensor turns = trunc(wide(g.input("input")) / g.input("other"));
    g.set("other", -chain(g.grad(), turns));
  }
}

}  // namespace rondo
