// Lowering: from a flow to the steps that run it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "codegen/kernel.h"
#include "core/graph/flow.h"

namespace rondo::codegen {

/// A buffer of a kernel: a value seen through a view, laid under the kernel's space.
struct OperandRef {
  int value = -1;
  UseView view;
  int call = -1;  // of the user: where the tensor of an opaque view is found
  int slot = -1;
  std::array<std::int8_t, kMaxRank> axis;  // for each axis of the space: that of the use, or -1

  OperandRef() { axis.fill(-1); }
};

/// A number that a kernel takes as a parameter.
struct ScalarRef {
  bool count = false;  // the number of elements that are reduced
  int value = -1;      // else an immediate
  Reg reg = Reg::f32;
};

/// A kernel and where its parameters come from.
struct KernelPlan {
  Kernel kernel;
  std::vector<OperandRef> operands;
  std::vector<ScalarRef> scalars;
  int rank = 0;  // of the space
  std::uint32_t reduced = 0;
  int nodes = 0;          // of the flow that it computes
  int tile_operand = -1;  // in an epilogue: the operand that is the product's tile
};

/// One step of a plan.
struct Step {
  enum class Kind : std::uint8_t { kernel, contraction, function };
  Kind kind = Kind::kernel;
  int node = -1;         // the contraction or the function; of a kernel, its first node
  KernelPlan plan;       // of a kernel, or the epilogue of a contraction (no code: none)
  FlowUse space_use;     // what has the shape of the kernel's space: a use,
  int space_value = -1;  // or a value
};

/// The expanded flow and its steps. Sizes are not known here.
struct Lowered {
  Flow flow;
  std::vector<char> stored;  // values that some step writes to memory
  std::vector<Step> steps;
};

/// Errors: InternalError if a pass breaks a rule.
Lowered lower(const Flow& flow);

}  // namespace rondo::codegen
