// The loops around the micro-kernel: blocks of columns, of k and of rows, packed where that pays.
#pragma once

#include "codegen/product/kernels.h"
#include "codegen/product/micro_kernel.h"
#include "codegen/product/pack.h"

namespace rondo::codegen::RONDO_ISA {

inline Index least(Index a, Index b) {
  return a < b ? a : b;
}
inline Index divide_up(Index a, Index b) {
  return (a + b - 1) / b;
}
/// Part `i` of 0..count-1 cut into `parts` nearly equal parts.
inline Index part_begin(Index count, Index parts, Index i) {
  return i * count / parts;
}

template <class E>
class Region {
 public:
  using T = Compute<E>;

  explicit Region(const ProductRegion& r) : r_(r) { plan(); }

  void run() {
    for (Index col = 0; col < r_.n; col += cols_at_once_) {
      const Index cols = least(cols_at_once_, r_.n - col);
      if (r_.k_begin == r_.k_end) {
        clear(col, cols);
      }
      for (Index k = r_.k_begin; k < r_.k_end; k += kProductBlock) {
        run_block(col, cols, k, least(kProductBlock, r_.k_end - k));
      }
    }
  }

 private:
  using Kernels = MicroKernels<T>;
  static constexpr bool kWidens = sizeof(E) != sizeof(T);

  void plan();
  void run_block(Index col, Index cols, Index k, Index depth);
  void run_rows(Index row, Index rows, Index col, Index cols, Index k, Index depth);
  void run_panel(Index row, Index rows, Index col, Index cols, const MicroArgs<T>& block);
  void pack_rows(Index row, Index rows, Index k, Index depth);
  void pack_columns(Index col, Index cols, Index k, Index depth);
  void clear(Index col, Index cols);
  void finish(Index row, Index rows, Index col, Index cols);

  const E* a_at(Index row, Index k) const {
    return static_cast<const E*>(r_.a) + row * r_.a_row_stride + k * r_.a_col_stride;
  }
  const E* b_at(Index k, Index col) const {
    return static_cast<const E*>(r_.b) + k * r_.b_row_stride + col * r_.b_col_stride;
  }
  // Where the sums of (row, col) are: in c itself or in scratch of the current columns.
  T* sums_at(Index row, Index col) const {
    return sums_ + row * sums_stride_ + (scratch_ ? col % cols_at_once_ : col);
  }

  const ProductRegion& r_;
  Index rows_at_once_ = 0;
  Index cols_at_once_ = 0;
  bool pack_a_ = false;
  bool pack_b_ = false;
  bool scratch_ = false;
  T* packed_a_ = nullptr;
  T* packed_b_ = nullptr;
  T* sums_ = nullptr;
  Index sums_stride_ = 0;
};

template <class E>
void Region<E>::plan() {
  constexpr Index kRowsAtOnce = 20 * Kernels::kRows;
  constexpr Index kColsAtOnce = 64 * Kernels::kColumns;
  pack_a_ = kWidens || (r_.a_col_stride != 1 && r_.a_row_stride != 1) || r_.n > 256;
  pack_b_ = kWidens || r_.b_col_stride != 1 || r_.m > 64;
  scratch_ = kWidens || r_.c == nullptr;
  rows_at_once_ = divide_up(r_.m, divide_up(r_.m, kRowsAtOnce));
  cols_at_once_ = least(divide_up(r_.n, Kernels::kColumns) * Kernels::kColumns, kColsAtOnce);
  constexpr Index kSlack = 16;
  const Index depth = least(kProductBlock, r_.k_end - r_.k_begin);
  const Index a_size = pack_a_ ? (rows_at_once_ + Kernels::kRows) * depth + kSlack : 0;
  const Index b_size = pack_b_ ? cols_at_once_ * depth + kSlack : 0;
  const Index sums_size = scratch_ ? r_.m * cols_at_once_ : 0;
  if (a_size + b_size + sums_size > 0) {
    packed_a_ = static_cast<T*>(
        product_workspace((a_size + b_size + sums_size) * static_cast<Index>(sizeof(T))));
    packed_b_ = packed_a_ + a_size;
  }
  sums_ = scratch_ ? packed_b_ + b_size : static_cast<T*>(r_.c);
  sums_stride_ = scratch_ ? cols_at_once_ : r_.c_row_stride;
}

template <class E>
void Region<E>::run_block(Index col, Index cols, Index k, Index depth) {
  if (pack_b_) {
    pack_columns(col, cols, k, depth);
  }
  for (Index row = 0; row < r_.m; row += rows_at_once_) {
    const Index rows = least(rows_at_once_, r_.m - row);
    if (pack_a_) {
      pack_rows(row, rows, k, depth);
    }
    run_rows(row, rows, col, cols, k, depth);
  }
}

template <class E>
void Region<E>::run_rows(Index row, Index rows, Index col, Index cols, Index k, Index depth) {
  // Finished parts are handed on while they are in cache.
  constexpr Index kFinishAtOnce = 16384;
  MicroArgs<T> block;
  block.k = depth;
  block.accumulate = k > r_.k_begin;
  block.c_stride = sums_stride_;
  block.b_stride = pack_b_ ? Kernels::kColumns : r_.b_row_stride;
  const bool last = k + depth == r_.k_end;
  Index unfinished = col;
  for (Index j = 0; j < cols; j += Kernels::kColumns) {
    const Index width = least(Kernels::kColumns, cols - j);
    if constexpr (!kWidens) {
      block.b = b_at(k, col + j);
    }
    if (pack_b_) {
      block.b = packed_b_ + j * depth;
    }
    if constexpr (!kWidens) {
      block.a = a_at(row, k);
    }
    run_panel(row, rows, col + j, width, block);
    const Index end = col + j + width;
    if (last && ((end - unfinished) * rows >= kFinishAtOnce || j + width == cols)) {
      finish(row, rows, unfinished, end - unfinished);
      unfinished = end;
    }
  }
}

// All rows against one panel of columns.
template <class E>
void Region<E>::run_panel(Index row, Index rows, Index col, Index cols, const MicroArgs<T>& block) {
  constexpr Index kWidth = Simd<T>::kWidth;
  const Index vectors = divide_up(cols, kWidth);
  const bool masked = cols % kWidth != 0;
  const bool by_rows = !pack_a_ && r_.a_col_stride == 1;
  const LayoutA layout = by_rows ? LayoutA::rows : LayoutA::interleaved;
  MicroArgs<T> args = block;
  args.last_lanes = cols - (vectors - 1) * kWidth;
  const Index groups = divide_up(rows, Kernels::kRows);
  for (Index g = 0; g < groups; ++g) {
    const Index begin = part_begin(rows, groups, g);
    const Index count = part_begin(rows, groups, g + 1) - begin;
    if (pack_a_) {
      args.a = packed_a_ + begin * block.k;
      args.a_stride = count;
    } else {
      args.a = block.a + begin * r_.a_row_stride;
      args.a_stride = by_rows ? r_.a_row_stride : r_.a_col_stride;
    }
    args.c = sums_at(row + begin, col);
    Kernels::find(count, vectors, layout, masked)(args);
  }
}

template <class E>
void Region<E>::pack_rows(Index row, Index rows, Index k, Index depth) {
  const Index groups = divide_up(rows, Kernels::kRows);
  for (Index g = 0; g < groups; ++g) {
    const Index begin = part_begin(rows, groups, g);
    const Index count = part_begin(rows, groups, g + 1) - begin;
    const PackSource<E> src{a_at(row + begin, k), r_.a_row_stride, r_.a_col_stride};
    pack(src, count, depth, packed_a_ + begin * depth, count);
  }
}

template <class E>
void Region<E>::pack_columns(Index col, Index cols, Index k, Index depth) {
  for (Index j = 0; j < cols; j += Kernels::kColumns) {
    const PackSource<E> src{b_at(k, col + j), r_.b_col_stride, r_.b_row_stride};
    pack(src, least(Kernels::kColumns, cols - j), depth, packed_b_ + j * depth, Kernels::kColumns);
  }
}

template <class E>
void Region<E>::clear(Index col, Index cols) {
  for (Index i = 0; i < r_.m; ++i) {
    for (Index j = 0; j < cols; ++j) {
      *sums_at(i, col + j) = 0;
    }
  }
  finish(0, r_.m, col, cols);
}

template <class E>
void Region<E>::finish(Index row, Index rows, Index col, Index cols) {
  if (r_.epilogue != nullptr) {
    ProductTile tile = r_.first;
    tile.row += row;
    tile.col += col;
    tile.rows = rows;
    tile.cols = cols;
    tile.data = sums_at(row, col);
    tile.row_stride = sums_stride_;
    r_.epilogue->run(r_.epilogue->context, tile);
  }
  if constexpr (kWidens) {
    for (Index i = row; r_.c != nullptr && i < row + rows; ++i) {
      round_row(sums_at(i, col), static_cast<E*>(r_.c) + i * r_.c_row_stride + col, cols);
    }
  }
}

}  // namespace rondo::codegen::RONDO_ISA
