#include "core/ops/bitwise.h"

namespace rondo {

void BitwiseNot::expressions(ExprContext& c) {
  const Expr x = c.inputs[0];
  c.outputs.push_back(c.common == Dtype::boolean ? fn::logical_not(x) : fn::bit_not(x));
}

}  // namespace rondo
