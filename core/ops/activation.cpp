#include "core/ops/activation.h"

#include "core/ops/arithmetic.h"
#include "core/ops/compare.h"

namespace rondo {

void Relu::gradient(GradContext& g) {
  g.set("input", g.grad() * gt(g.output(), Operand(0).tensor));
}

}  // namespace rondo
