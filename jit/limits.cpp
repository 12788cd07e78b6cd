#include "jit/limits.h"

#include <algorithm>

#include "core/base/error.h"

namespace rondo::jit {
namespace {

/// What a call costs that does nothing.
constexpr double kCall = 100;

double count(const Tensor& t) {
  return t.defined() && !t.is_immediate() ? static_cast<double>(t.numel()) : 0;
}

double last_size(const Tensor& t) {
  return t.rank() > 0 ? std::max(1.0, static_cast<double>(t.size(t.rank() - 1))) : 1;
}

/// Multiplications for each element of `grid`, which the other operand of a convolution gives.
double taps(const Tensor& grid, const Tensor& weight) {
  return count(grid) * count(weight) / std::max(1.0, static_cast<double>(weight.size(0)));
}

double product_work(const OpCall& call) {
  switch (call.op.contraction) {
    case Contraction::matmul:
      return count(call.outputs[0]) * last_size(call.inputs[0]);
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

/// Elements of each window, for ops on windows.
double window_size(const OpCall& call) {
  double size = 1;
  std::size_t attr = 0;
  for (const SchemaArg& arg : call.op.schema.args) {
    if (arg.is_operand()) {
      continue;
    }
    if (arg.name == "kernel_size") {
      const Ints kernel = call.attrs[attr].as_ints();
      for (const std::int64_t n : kernel) {
        size *= static_cast<double>(n);
      }
      return kernel.size() == 1 ? size * size : size;
    }
    ++attr;
  }
  return size;
}

}  // namespace

double work_of(const OpCall& call) {
  double most = 0;
  for (const Tensor& t : call.inputs) {
    most = std::max(most, count(t));
  }
  for (const Tensor& t : call.outputs) {
    most = std::max(most, count(t));
  }
  if (call.op.kind == OpKind::window) {
    most *= window_size(call);
  }
  return kCall + std::max(most, product_work(call));
}

WorkGuard::WorkGuard(const RunLimits& limits)
    : left_(limits.work), all_(limits.work), inner_(current_executor()), scope_(*this) {}

void WorkGuard::execute(const OpCall& call) {
  left_ -= work_of(call);
  check<UnsupportedError>(left_ >= 0,
                          "{}: the run has done {:.3g} units of work; its limit is {:.3g}",
                          call.op.name, all_ - left_, all_);
  inner_.execute(call);
}

}  // namespace rondo::jit
