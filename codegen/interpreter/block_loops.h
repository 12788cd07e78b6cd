// The precompiled loops that the interpreter runs blocks through, at each vector level.
#pragma once

#include <cstddef>
#include <cstdint>

#include "codegen/canonical_order.h"
#include "codegen/kernel.h"
#include "core/base/isa.h"

namespace rondo::codegen {

/// A block as three nested loops over memory, outermost first, strides in bytes. On the register
/// side a block is dense, in the same order.
struct Nest {
  std::int64_t count[3];
  std::int64_t stride[3];
};

/// Copies between memory and registers, for elements of one size.
struct CopyLoops {
  void (*gather)(void* out, const std::byte* memory, const Nest& nest);
  void (*scatter)(std::byte* memory, const void* in, const Nest& nest);
  void (*fill)(std::int64_t n, void* out, const void* value);
};

/// What a reduction reads. Along the innermost axis (c in rows, r in columns) it is contiguous and
/// that stride is not looked at.
struct ReduceInput {
  const std::byte* data = nullptr;
  std::int64_t row_stride = 0;
  std::int64_t outer_stride = 0;
  std::int64_t col_stride = 0;
};

/// A block of a reduction. It holds whole steps of the canonical order, or whole rows.
struct ReduceBlock {
  ReduceInput a;
  ReduceInput b;  // of a dot
  std::int64_t rows = 0;
  std::int64_t outer = 0;
  std::int64_t cols = 0;
  std::int64_t first_outer = 0;  // place of the block in its rows
  std::int64_t first_col = 0;
  std::int64_t row_cols = 0;  // columns of a whole row
};

/// The state of a reduction over one row that comes in several blocks.
struct alignas(64) LaneState {
  std::byte lanes[kReduceLanes * 8];
  std::int64_t steps;   // of the canonical block that is under way
  std::int64_t blocks;  // that are complete
  std::byte result[8];  // of those
  std::int64_t place;   // argmax and argmin
};

/// The same for neighbouring rows in columns order. The pieces are memory of the caller.
struct ColumnState {
  std::byte* lanes;    // kReduceLanes * rows * 8 bytes; argmax and argmin: values, then counters
  std::byte* results;  // rows * 8 bytes
  std::int64_t* places;
  std::int64_t rows;
  std::int64_t steps;
  std::int64_t blocks;
  std::int64_t base;  // argmax and argmin: the place that counters start from
};

/// One kind of reduction on one register class, in the canonical order of kernel.h.
struct ReduceLoops {
  /// Whole rows: `block.rows` results.
  void (*whole)(const ReduceBlock& block, void* out);

  void (*start)(LaneState& state);
  void (*accumulate)(LaneState& state, const ReduceBlock& block);
  void (*finish)(LaneState& state, void* out);

  void (*column_start)(ColumnState& state);
  void (*column_accumulate)(ColumnState& state, const ReduceBlock& block);
  void (*column_finish)(ColumnState& state, void* out);
};

/// All of them at one vector level.
struct BlockLoops {
  /// `bytes` is 1, 2, 4 or 8.
  const CopyLoops& (*copy)(std::int64_t bytes);
  /// Null for a dot of integers.
  const ReduceLoops* (*reduce)(ReduceKind kind, Reg reg);
  /// Places of a block: first + the sum of index * stride over the three loops.
  void (*index)(std::int64_t* out, std::int64_t first, const Nest& nest);
};

const BlockLoops& block_loops(Isa isa);

}  // namespace rondo::codegen
