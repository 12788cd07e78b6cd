// The backward pass: gradients flow from results to leaves, on the calling thread.
#pragma once

#include <span>
#include <vector>

#include "core/autograd/tape.h"

namespace rondo {

struct BackwardOptions {
  bool retain_graph = false;  // keep what the nodes saved, for another pass
  bool create_graph =
      false;  // record the pass itself, for higher derivatives (implies retain_graph)
};

/// Adds to the `grad` of every leaf that `outputs` depend on. `grads`: one for each output;
/// undefined stands for one, and is allowed for outputs of one element. Errors: ArgumentError,
/// ShapeError.
void backward(std::span<const Tensor> outputs, std::span<const Tensor> grads,
              const BackwardOptions& options = {});

/// The gradients with respect to `inputs`; those that nothing flows into are undefined if
/// `allow_unused`, else an ArgumentError. No leaf's `grad` changes.
std::vector<Tensor> gradients(std::span<const Tensor> outputs, std::span<const Tensor> inputs,
                              std::span<const Tensor> grads, const BackwardOptions& options = {},
                              bool allow_unused = false);

/// `check` is called between the nodes of every backward pass; what it throws ends the pass.
void set_interrupt_check(void (*check)());

}  // namespace rondo
