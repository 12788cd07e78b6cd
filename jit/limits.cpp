#include "jit/limits.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/op/work.h"

namespace rondo::jit {
namespace {

/// What a call costs that does nothing.
constexpr double kCall = 100;

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
    most = std::max(most, element_count(t));
  }
  for (const Tensor& t : call.outputs) {
    most = std::max(most, element_count(t));
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
