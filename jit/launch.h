// A kernel bound to sizes and strides, and its launch over the threads.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "codegen/lower.h"
#include "codegen/product/product.h"
#include "jit/kernel_cache.h"

namespace rondo::jit {

/// Geometry of one operand under the kernel's space.
struct BoundOperand {
  /// Bytes, for each axis of the space; 0 where it does not vary.
  std::array<std::int64_t, kMaxRank> stride{};
  std::array<std::int64_t, kMaxRank> original{};  // what `stride` was before the copy
  /// Its reduced axes do not lie evenly: it is copied to the order of the space first.
  bool copied = false;
};

/// A kernel that only lacks addresses.
struct BoundKernel {
  KernelEntry* entry = nullptr;
  std::int64_t loops = 1;  // iterations of the loops around the rows
  std::vector<std::int64_t> loop_sizes;
  std::vector<std::int64_t> loop_strides;  // [operand][loop]
  std::vector<std::int64_t> row_stride, outer_stride, col_stride;
  std::int64_t rows = 1, outer = 1, cols = 1;
  std::int64_t count = 1;  // elements that are reduced into one
  std::int64_t scratch = 0;
  std::int64_t grain = 1;    // elements that are worth a thread
  bool splits_cols = false;  // one row without reduction: threads share its columns
  bool empty = false;
  std::vector<BoundOperand> operands;
};

/// Binds `plan` to the sizes of its space and the strides of its operands.
BoundKernel bind_kernel(const codegen::KernelPlan& plan, const Shape& space,
                        std::vector<BoundOperand> operands);

/// How the axes of a contraction's result are the rows and columns of its tiles: leading axes are
/// the batch, `row` (-1: none) the rows, those from `first_col` on the columns.
struct TileAxes {
  int row = -1;
  int first_col = 0;
};

/// Binds the epilogue of a contraction: its kernel is launched on tiles of the result, see
/// launch_tile.
BoundKernel bind_epilogue(const codegen::KernelPlan& plan, const Shape& space, const TileAxes& axes,
                          int tile_operand, std::vector<BoundOperand> operands);

/// Runs an epilogue on one tile.
void launch_tile(const BoundKernel& kernel, const std::vector<std::byte*>& data,
                 const std::uint64_t* scalars, int tile_operand, const codegen::ProductTile& tile);

/// Runs it. `data[i]` is the address of operand i at the origin of the space. Returns whether the
/// results are those of the compiled form.
bool launch(const BoundKernel& kernel, const std::vector<std::byte*>& data,
            const std::uint64_t* scalars);

/// The same, by `compiled`, or by the interpreter if it is null.
void launch_form(const BoundKernel& kernel, const std::vector<std::byte*>& data,
                 const std::uint64_t* scalars, codegen::KernelFunction compiled);

}  // namespace rondo::jit
