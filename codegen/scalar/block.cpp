#include "codegen/scalar/block.h"

#include "core/base/error.h"

// The families; each is defined in a block_*.cpp that is compiled at both levels.
#define RONDO_BLOCK_FAMILIES(X) \
  X(arithmetic)                 \
  X(compare)                    \
  X(division)                   \
  X(exponential)                \
  X(integer)                    \
  X(inverse_trigonometric)      \
  X(logarithm)                  \
  X(memory)                     \
  X(random)                     \
  X(rounding)                   \
  X(trigonometric)

namespace rondo::codegen {

#define RONDO_DECLARE(family) void fill_##family(BlockTable& table);
namespace v3 {
RONDO_BLOCK_FAMILIES(RONDO_DECLARE)
}
namespace v4 {
RONDO_BLOCK_FAMILIES(RONDO_DECLARE)
}
#undef RONDO_DECLARE

const BlockTable& block_table(Isa isa) {
#define RONDO_FILL_V3(family) v3::fill_##family(table);
#define RONDO_FILL_V4(family) v4::fill_##family(table);
  if (isa == Isa::v3) {
    static const BlockTable table = [] {
      BlockTable table;
      RONDO_BLOCK_FAMILIES(RONDO_FILL_V3)
      return table;
    }();
    return table;
  }
  static const BlockTable table = [] {
    BlockTable table;
    RONDO_BLOCK_FAMILIES(RONDO_FILL_V4)
    return table;
  }();
  return table;
#undef RONDO_FILL_V3
#undef RONDO_FILL_V4
}

BlockFunction block_function(ScalarOp op, Reg reg) {
  const BlockFunction function =
      block_table(current_isa()).functions[static_cast<int>(op)][static_cast<int>(reg)];
  invariant(function != nullptr, "block: an op on a class that it does not take");
  return function;
}

LoadFunction load_function(Dtype memory_dtype) {
  return block_table(current_isa()).loads[static_cast<int>(memory_dtype)];
}

StoreFunction store_function(Dtype memory_dtype) {
  return block_table(current_isa()).stores[static_cast<int>(memory_dtype)];
}

}  // namespace rondo::codegen
