// Runs products and convolutions: from tensors to the library's calls.
#pragma once

#include <vector>

#include "core/op/op_info.h"
#include "jit/launch.h"

namespace rondo::jit {

/// A fused epilogue, ready to run on tiles.
struct EpilogueContext {
  const BoundKernel& kernel;
  const std::vector<std::byte*>& data;
  const std::uint64_t* scalars;
  int tile_operand;
};

/// The rows and columns of the tiles of `op`'s result of rank `rank`.
TileAxes tile_axes(const OpInfo& op, int rank_a, int rank_b, int rank);

/// Computes the contraction: into `output`, or through the epilogue, which stores.
void contract(const OpArgs& args, const Shape& shape, const Tensor* output,
              const EpilogueContext* epilogue);

}  // namespace rondo::jit
