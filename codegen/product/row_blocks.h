// Rows cut into nearly equal blocks, one for each call of the kernel.
#pragma once

#include "codegen/product/simd.h"

namespace rondo::codegen::RONDO_ISA {

inline Index least(Index a, Index b) {
  return a < b ? a : b;
}
inline Index divide_up(Index a, Index b) {
  return (a + b - 1) / b;
}
inline Index round_up(Index a, Index b) {
  return divide_up(a, b) * b;
}

/// At most `most` rows a block, of at least one row; heights differ by one at most, the taller ones
/// come first.
struct RowBlocks {
  RowBlocks(Index rows, Index most)
      : count(divide_up(rows, most)), base(rows / count), taller(rows % count) {}
  Index height(Index i) const { return base + (i < taller ? 1 : 0); }

  Index count;
  Index base;
  Index taller;
};

}  // namespace rondo::codegen::RONDO_ISA
