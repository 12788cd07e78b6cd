// A plan: the steps of a flow, bound to sizes when they are first met, and run.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "codegen/lower.h"
#include "jit/launch.h"

namespace rondo::jit {

/// Belongs to one thread.
class Plan {
 public:
  explicit Plan(std::shared_ptr<const codegen::Lowered> lowered) : lowered_(std::move(lowered)) {}

  /// Runs every step; the outputs' storages are filled.
  void run(std::span<const CallTensors> calls);

  const codegen::Lowered& lowered() const { return *lowered_; }

 private:
  /// Where an operand's memory is: a tensor of a call, or a temporary.
  struct Place {
    int call = -1;
    int slot = -1;
    bool result = false;
    int temporary = -1;
  };

  struct BoundStep {
    BoundKernel kernel;               // of a kernel step or an epilogue
    std::vector<Place> operands;      // of the kernel
    std::vector<Place> inputs;        // of a contraction or a function: its operands,
    std::vector<Place> outputs;       // and its results
    std::vector<Shape> input_shapes;  // views of them
    std::vector<Shape> input_strides;
    Shape space;  // of the kernel
  };

  /// Everything that follows from the geometry of the tensors.
  struct Bound {
    std::vector<std::int64_t> geometry;
    std::vector<BoundStep> steps;
    std::vector<Shape> shapes;      // of all values
    std::vector<Meta> temporaries;  // of inner values in memory
  };

  class Binder;
  class Run;

  /// Lists that each run fills anew.
  struct Buffers {
    std::vector<std::byte*> data;
    std::vector<std::uint64_t> scalars;
  };

  const Bound& bind(std::span<const CallTensors> calls);

  std::shared_ptr<const codegen::Lowered> lowered_;
  std::vector<std::unique_ptr<Bound>> bounds_;  // the latest first
  Buffers buffers_;
};

}  // namespace rondo::jit
