// In-place calls whose operands share memory with what they write.
#pragma once

#include <algorithm>

#include "core/op/executor.h"
#include "core/tensor/equal.h"

namespace rondo {

/// Whether an operand of an in-place call shares memory with a target but not element by element,
/// so that it must be read before anything is written.
inline bool clashes(const OpCall& call, const Tensor& operand) {
  if (!operand.defined() || operand.is_immediate()) {
    return false;
  }
  return std::any_of(call.outputs.begin(), call.outputs.end(), [&](const Tensor& target) {
    return target.storage() == operand.storage() && !same_geometry(target, operand);
  });
}

inline bool clashes(const OpCall& call) {
  return std::any_of(call.inputs.begin(), call.inputs.end(),
                     [&](const Tensor& operand) { return clashes(call, operand); });
}

}  // namespace rondo
