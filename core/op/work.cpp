#include "core/op/work.h"

#include <algorithm>

namespace rondo {
namespace {

double last_size(const Tensor& t) {
  return t.rank() > 0 ? std::max(1.0, static_cast<double>(t.size(t.rank() - 1))) : 1;
}

/// Multiplications for each element of `grid`, which the other operand of a convolution gives.
double taps(const Tensor& grid, const Tensor& weight) {
  return element_count(grid) * element_count(weight) /
         std::max(1.0, static_cast<double>(weight.size(0)));
}

}  // namespace

double element_count(const Tensor& tensor) {
  return tensor.defined() && !tensor.is_immediate() ? static_cast<double>(tensor.numel()) : 0;
}

double product_work(const OpCall& call) {
  switch (call.op.contraction) {
    case Contraction::matmul:
      return element_count(call.outputs[0]) * last_size(call.inputs[0]);
    case Contraction::convolution:
      return taps(call.outputs[0], call.inputs[1]);
    case Contraction::convolution_input:
      return taps(call.inputs[0], call.inputs[1]);
    case Contraction::convolution_weight:
      return taps(call.inputs[0], call.outputs[0]);
    default:
      break;
  }
  return 0;
}

}  // namespace rondo
