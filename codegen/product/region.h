// The loops around the micro-kernel: groups of columns, blocks of k, groups of rows; operands are
// packed where that pays.
#pragma once

#include "codegen/product/finish.h"
#include "codegen/product/kernels.h"
#include "codegen/product/micro_kernel.h"
#include "codegen/product/pack.h"
#include "codegen/product/region_plan.h"

namespace rondo::codegen::RONDO_ISA {

/// Computes one ProductRegion of elements E.
template <class E>
class Region {
 public:
  using T = Compute<E>;

  explicit Region(const ProductRegion& r) : r_(r), plan_(plan_region<E>(r)) {
    if (plan_.workspace > 0) {
      packed_a_ =
          static_cast<T*>(product_workspace(plan_.workspace * static_cast<Index>(sizeof(T))));
      packed_b_ = packed_a_ + plan_.packed_a;
      chains_ = packed_b_ + plan_.packed_b;
    }
    if (plan_.scratch) {
      sums_ = chains_ + plan_.chains;
      sums_stride_ = plan_.cols;
    } else {
      sums_ = static_cast<T*>(r.sums != nullptr ? r.sums : r.c);
      sums_stride_ = r.sums != nullptr ? r.sums_row_stride : r.c_row_stride;
    }
  }

  void run() {
    if (plan_.whole_a) {
      for (Index k = r_.k_begin; k < r_.k_end; k += kProductBlock) {
        pack_rows(0, r_.m, k, least(kProductBlock, r_.k_end - k),
                  packed_a_ + (k - r_.k_begin) * r_.m);
      }
    }
    for (Index col = 0; col < r_.n; col += plan_.cols) {
      const Index cols = least(plan_.cols, r_.n - col);
      scratch_col_ = plan_.scratch ? col : 0;
      if (r_.k_begin == r_.k_end) {
        clear(col, cols);
      }
      for (Index k = r_.k_begin; k < r_.k_end; k += kProductBlock) {
        const Index depth = least(kProductBlock, r_.k_end - k);
        for (Index done = 0; done < depth; done += plan_.chunk) {
          run_chunk({col, cols, k, depth, done, least(plan_.chunk, depth - done)});
        }
      }
    }
  }

 private:
  using Kernels = MicroKernels<T>;
  static constexpr bool kWidens = sizeof(E) != sizeof(T);

  // A group of columns and a part of a block of k.
  struct Chunk {
    Index col;
    Index cols;
    Index block;  // where the block begins
    Index block_depth;
    Index done;  // steps of the block before this chunk
    Index depth;

    Index k() const { return block + done; }
    bool ends_block() const { return done + depth == block_depth; }
  };

  void run_chunk(const Chunk& chunk);
  void run_rows(const Chunk& chunk, Index row, Index rows);
  void run_panels(const Chunk& chunk, Index row, const RowBlocks& blocks, Index col,
                  MicroArgs<T>& args);
  void place_a(const Chunk& chunk, Index row, Index begin, Index count, MicroArgs<T>& args) const;
  void pack_rows(Index row, Index rows, Index k, Index depth, T* to);
  void pack_columns(const Chunk& chunk);
  void clear(Index col, Index cols);
  void finish(Index row, Index rows, Index col, Index cols) {
    finish_tile<E>(r_, row, rows, col, cols, sums_at(row, col), sums_stride_);
  }

  const E* a_at(Index row, Index k) const {
    return static_cast<const E*>(r_.a) + row * r_.a_row_stride + k * r_.a_col_stride;
  }
  const E* b_at(Index k, Index col) const {
    return static_cast<const E*>(r_.b) + k * r_.b_row_stride + col * r_.b_col_stride;
  }
  // From one packed panel of b to the next: never a power of two, as their columns of a step would
  // then fall into the same few places of the cache.
  Index panel_step(const Chunk& chunk) const { return plan_.panel * chunk.depth + kPanelGap; }
  // Where the sums of (row, col) are: in place, or in scratch for the current columns.
  T* sums_at(Index row, Index col) const {
    return sums_ + row * sums_stride_ + (col - scratch_col_);
  }

  const ProductRegion& r_;
  RegionPlan plan_;
  T* packed_a_ = nullptr;
  T* packed_b_ = nullptr;
  T* chains_ = nullptr;  // unfinished chains of the current columns, between chunks, if any
  T* sums_ = nullptr;
  Index sums_stride_ = 0;
  Index scratch_col_ = 0;  // the column that scratch begins with; 0 without scratch
};

template <class E>
void Region<E>::run_chunk(const Chunk& chunk) {
  if (plan_.pack_b) {
    pack_columns(chunk);
  }
  for (Index row = 0; row < r_.m; row += plan_.rows) {
    const Index rows = least(plan_.rows, r_.m - row);
    if (plan_.pack_a && !plan_.whole_a) {
      pack_rows(row, rows, chunk.k(), chunk.depth, packed_a_);
    }
    run_rows(chunk, row, rows);
  }
}

// A group of rows against all panels of the chunk.
template <class E>
void Region<E>::run_rows(const Chunk& chunk, Index row, Index rows) {
  // Finished parts are handed on while they are in cache.
  constexpr Index kFinishAtOnce = 16384;
  // Several panels at once, if what is read of b for them stays in the first-level cache.
  constexpr Index kStrip = 256;
  MicroArgs<T> args;
  args.k = chunk.depth;
  args.add = chunk.ends_block() && chunk.block > r_.k_begin;
  args.b_stride = plan_.pack_b ? plan_.panel : r_.b_row_stride;
  args.b_step = plan_.pack_b ? panel_step(chunk) : plan_.panel;
  args.from_stride = plan_.chain_stride;
  args.to_stride = chunk.ends_block() ? sums_stride_ : plan_.chain_stride;
  const RowBlocks blocks(rows, Kernels::kRows);
  const Index most = kStrip / (chunk.depth * plan_.panel);
  const bool last = chunk.k() + chunk.depth == r_.k_end;
  Index finished = 0;
  for (Index j = 0; j < chunk.cols;) {
    const Index whole = (chunk.cols - j) / plan_.panel;
    args.panels = whole == 0 || most == 0 ? 1 : least(whole, most);
    if (plan_.pack_b) {
      args.b = packed_b_ + j / plan_.panel * panel_step(chunk);
    } else if constexpr (!kWidens) {
      args.b = b_at(chunk.k(), chunk.col + j);
    }
    run_panels(chunk, row, blocks, j, args);
    j = least(j + args.panels * plan_.panel, chunk.cols);
    if (last && ((j - finished) * rows >= kFinishAtOnce || j == chunk.cols)) {
      finish(row, rows, chunk.col + finished, j - finished);
      finished = j;
    }
  }
}

// A group of rows against args.panels panels from column `col` of the chunk on, or the last one,
// which may be narrower.
template <class E>
void Region<E>::run_panels(const Chunk& chunk, Index row, const RowBlocks& blocks, Index col,
                           MicroArgs<T>& args) {
  const Index cols = least(plan_.panel, chunk.cols - col);
  const Index vectors = divide_up(cols, Kernels::kWidth);
  args.last_lanes = cols - (vectors - 1) * Kernels::kWidth;
  const bool masked = args.last_lanes != Kernels::kWidth;
  const bool by_rows = !plan_.pack_a && r_.a_col_stride == 1;
  const auto& kernels = Kernels::table(vectors, by_rows ? Walk::rows : Walk::interleaved, masked);
  Index begin = 0;
  for (Index g = 0; g < blocks.count; ++g) {
    const Index height = blocks.height(g);
    T* const chains =
        chains_ == nullptr ? nullptr : chains_ + (row + begin) * plan_.chain_stride + col;
    place_a(chunk, row, begin, height, args);
    args.from = chunk.done > 0 ? chains : nullptr;
    args.to = chunk.ends_block() ? sums_at(row + begin, chunk.col + col) : chains;
    kernels[height](args);
    begin += height;
  }
}

// Rows `begin`.. of the group of rows at `row`, from the chunk's first step on.
template <class E>
void Region<E>::place_a(const Chunk& chunk, Index row, Index begin, Index count,
                        MicroArgs<T>& args) const {
  if (plan_.pack_a) {
    const T* block = plan_.whole_a ? packed_a_ + (chunk.block - r_.k_begin) * r_.m : packed_a_;
    args.a = block + begin * chunk.block_depth + chunk.done * count;
    args.a_stride = count;
  } else if constexpr (!kWidens) {
    args.a = a_at(row + begin, chunk.k());
    args.a_stride = r_.a_col_stride == 1 ? r_.a_row_stride : r_.a_col_stride;
  }
}

template <class E>
void Region<E>::pack_rows(Index row, Index rows, Index k, Index depth, T* to) {
  const RowBlocks blocks(rows, Kernels::kRows);
  Index begin = 0;
  for (Index g = 0; g < blocks.count; ++g) {
    const Index count = blocks.height(g);
    pack(PackSource<E>{a_at(row + begin, k), r_.a_row_stride, r_.a_col_stride}, count, depth,
         to + begin * depth, count);
    begin += count;
  }
}

template <class E>
void Region<E>::pack_columns(const Chunk& chunk) {
  if (r_.b_col_stride == 1 && r_.b_row_stride != 1) {
    pack_panels_along_i(PackSource<E>{b_at(chunk.k(), chunk.col), 1, r_.b_row_stride}, chunk.cols,
                        chunk.depth, packed_b_, plan_.panel, panel_step(chunk));
    return;
  }
  for (Index j = 0; j < chunk.cols; j += plan_.panel) {
    const Index col = chunk.col + j;
    const Index count = least(plan_.panel, chunk.cols - j);
    T* to = packed_b_ + j / plan_.panel * panel_step(chunk);
    pack(PackSource<E>{b_at(chunk.k(), col), r_.b_col_stride, r_.b_row_stride}, count, chunk.depth,
         to, plan_.panel);
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

/// Computes a small region that lies in place as it is, without a plan; returns whether it was one.
template <class T>
bool run_small(const ProductRegion& r) {
  using Kernels = MicroKernels<T>;
  constexpr Index kPanel = Kernels::kVectors * Kernels::kWidth;
  constexpr Index kMostSize = 1 << 12;
  if (r.b_col_stride != 1 || r.a_col_stride != 1 || r.sums != nullptr || r.k_begin != 0 ||
      r.k_end == 0 || r.k_end > kProductBlock || r.k_end * r.n > kMostSize ||
      r.m * r.n > kMostSize) {
    return false;
  }
  const ProductRegion own = with_sums<T>(r);
  MicroArgs<T> args;
  args.k = r.k_end;
  args.a_stride = r.a_row_stride;
  args.b_stride = r.b_row_stride;
  args.to_stride = own.c_row_stride;
  for (Index col = 0; col < r.n; col += kPanel) {
    const Index cols = least(kPanel, r.n - col);
    const Index vectors = cols > Kernels::kWidth ? 2 : 1;
    args.last_lanes = cols - (vectors - 1) * Kernels::kWidth;
    args.b = static_cast<const T*>(r.b) + col;
    const auto& kernels = Kernels::table(vectors, Walk::rows, args.last_lanes != Kernels::kWidth);
    // The last two blocks are made equal, so that none is small.
    Index rows = 0;
    for (Index row = 0; row < r.m; row += rows) {
      const Index left = r.m - row;
      rows = left <= Kernels::kRows      ? left
             : left < 2 * Kernels::kRows ? (left + 1) / 2
                                         : Kernels::kRows;
      args.a = static_cast<const T*>(r.a) + row * r.a_row_stride;
      args.to = static_cast<T*>(own.c) + row * own.c_row_stride + col;
      kernels[rows](args);
    }
  }
  finish_tile<T>(r, 0, r.m, 0, r.n, static_cast<T*>(own.c), own.c_row_stride);
  return true;
}

}  // namespace rondo::codegen::RONDO_ISA
