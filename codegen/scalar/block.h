// Block loops: each scalar operation over an array of registers, compiled at both vector levels.
#pragma once

#include <cstdint>

#include "core/base/isa.h"
#include "core/op/scalar_op.h"
#include "core/tensor/dtype.h"

namespace rondo::codegen {

/// Applies an operation to n registers. Arrays have the alignment of their elements (the
/// interpreter passes operands in memory); an operand that the operation does not have is ignored.
/// `out` may be one of the operands if both have registers of one size; else they do not overlap. A
/// result depends on its operands alone, not on n.
using BlockFunction = void (*)(std::int64_t n, void* out, const void* a, const void* b,
                               const void* c);

/// Widens n elements that stand stride_bytes apart (0 repeats one, negative steps back) to
/// registers of reg_of(dtype).
using LoadFunction = void (*)(std::int64_t n, void* registers, const void* memory,
                              std::int64_t stride_bytes);

/// Narrows n registers, whose values the dtype holds already, to elements stride_bytes apart.
using StoreFunction = void (*)(std::int64_t n, void* memory, std::int64_t stride_bytes,
                               const void* registers);

/// The loop of `op` on operands of class `reg`, at the vector level in use (core/base/isa.h).
/// Errors: InternalError unless scalar_op_takes(op, reg); those of current_isa.
BlockFunction block_function(ScalarOp op, Reg reg);

/// The loops between memory and registers, likewise. Errors: those of current_isa.
LoadFunction load_function(Dtype memory_dtype);
StoreFunction store_function(Dtype memory_dtype);

/// All loops of one vector level.
struct BlockTable {
  BlockFunction functions[kScalarOpCount][kRegCount] = {};
  LoadFunction loads[kDtypeCount] = {};
  StoreFunction stores[kDtypeCount] = {};
};

/// The table of a level, for tests. May be called only where that level is supported, for its own
/// code belongs to the level.
const BlockTable& block_table(Isa isa);

}  // namespace rondo::codegen
