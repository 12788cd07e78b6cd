// The product of weights with the windows of an image, which are read in place from its planes.
#pragma once

#include "codegen/product/convolution_kernels.h"
#include "codegen/product/finish.h"
#include "codegen/product/micro_kernel.h"
#include "codegen/product/pack.h"
#include "codegen/product/row_blocks.h"

namespace rondo::codegen::RONDO_ISA {

/// Packs rows of weights for `depth` steps from step k on.
template <class E, class T>
void pack_weight_rows(const WeightPacking& w, const E* rows, Index height, Index k, Index depth,
                      T* to) {
  if (w.offsets != nullptr) {
    for (Index p = 0; p < depth; ++p) {
      for (Index i = 0; i < height; ++i) {
        to[p * height + i] = widen(rows[i * w.row_stride + w.offsets[k + p]]);
      }
    }
  } else if (w.taps == 1) {
    const E* from = rows + k * w.channel_stride;
    pack(PackSource<E>{from, w.row_stride, w.channel_stride}, height, depth, to, height);
  } else {
    // Taps lie side by side; those of a channel are a run.
    for (Index p = 0; p < depth;) {
      const Index tap = (k + p) % w.taps;
      const Index run = least(w.taps - tap, depth - p);
      const E* from = rows + (k + p) / w.taps * w.channel_stride + tap;
      pack(PackSource<E>{from, w.row_stride, 1}, height, run, to + p * height, height);
      p += run;
    }
  }
}

/// Packs weights as Windows reads them: blocks of k, in them blocks of rows, in them steps.
template <class E>
void pack_weights(const WeightPacking& w, void* packed) {
  using T = Compute<E>;
  const RowBlocks blocks(w.m, MicroKernels<T>::kRows);
  for (Index k = 0; k < w.k; k += kProductBlock) {
    const Index depth = least(kProductBlock, w.k - k);
    const auto* rows = static_cast<const E*>(w.weights);
    auto* to = static_cast<T*>(packed) + k * w.m;
    for (Index g = 0; g < blocks.count; ++g) {
      const Index height = blocks.height(g);
      pack_weight_rows(w, rows, height, k, depth, to);
      rows += height * w.row_stride;
      to += height * depth;
    }
  }
}

/// Computes one WindowProduct of elements E.
template <class E>
class Windows {
 public:
  using T = Compute<E>;

  explicit Windows(const WindowProduct& w)
      : w_(w),
        blocks_(w.m, Kernels::kRows),
        panel_(Kernels::kWidth *
               (w.m <= Kernels::kWideRows ? Kernels::kWideVectors : Kernels::kVectors)),
        walk_(w.packed != nullptr ? Walk::windows : Walk::window_rows),
        is_flat_(w.sums == nullptr && (w.pitch == w.cols || w.lines == 1)),
        is_in_place_(is_flat_ && w.c != nullptr && sizeof(E) == sizeof(T)) {
    const Index at_once = 1 + kSumsAtOnce / w.m;
    if (is_flat_) {
      width_ = least(round_up(at_once, panel_), w.lines * w.cols);
    } else {
      lines_ = least(1 + at_once / w.pitch, w.lines);
      width_ = width(lines_);
    }
    region_.c = w.c;
    region_.c_row_stride = w.c_row_stride;
    region_.epilogue = w.epilogue;
    region_.first = w.first;
  }

  /// Elements of scratch that run() needs.
  Index scratch_size() const { return is_in_place_ ? 0 : w_.m * width_; }

  void run(T* scratch) {
    if (is_flat_) {
      const Index positions = w_.lines * w_.cols;
      for (Index at = 0; at < positions; at += width_) {
        const Index count = least(width_, positions - at);
        T* sums = is_in_place_ ? static_cast<T*>(w_.c) + at : scratch;
        const Index stride = is_in_place_ ? w_.c_row_stride : width_;
        run_range(at, count, sums, stride);
        finish_tile<E>(region_, 0, w_.m, at, count, sums, stride);
      }
      return;
    }
    for (Index line = 0; line < w_.lines; line += lines_) {
      const Index lines = least(lines_, w_.lines - line);
      run_range(line * w_.pitch, width(lines), scratch, width_);
      finish_lines(line, lines, scratch);
    }
  }

 private:
  using Kernels = MicroKernels<T>;
  static constexpr Index kSumsAtOnce = 1 << 15;
  static constexpr Index kBlocksAtOnce = 20;
  static constexpr Index kWindowsInCache = (64 << 10) / sizeof(T);
  static constexpr Index kPlanesInCache = (24 << 10) / sizeof(T);

  Index width(Index lines) const { return (lines - 1) * w_.pitch + w_.cols; }

  void run_range(Index first, Index count, T* sums, Index stride);
  void run_panels(Index k, Index first_block, const T* b, Index width, T* sums, Index stride);
  void place_weights(Index row, Index height, Index k, MicroArgs<T>& args) const;
  void finish_lines(Index line, Index lines, T* sums);
  void close_up(Index lines, const T* sums, T* to, Index row_stride, Index line_stride,
                Index col_stride) const;

  const WindowProduct& w_;
  RowBlocks blocks_;
  Index panel_;
  Walk walk_;
  bool is_flat_;      // positions lie side by side, with nothing between the lines
  bool is_in_place_;  // sums are made where the results go
  Index lines_ = 0;   // at once
  Index width_ = 0;   // positions at once, with what lies between
  ProductRegion region_;
};

// `count` positions from `first` on, in planes.
template <class E>
void Windows<E>::run_range(Index first, Index count, T* sums, Index stride) {
  for (Index i = 0; w_.k == 0 && i < w_.m; ++i) {
    for (Index j = 0; j < count; ++j) {
      sums[i * stride + j] = 0;
    }
  }
  for (Index k = 0; k < w_.k; k += kProductBlock) {
    for (Index block = 0; block < blocks_.count; block += kBlocksAtOnce) {
      run_panels(k, block, static_cast<const T*>(w_.planes) + first, count, sums, stride);
    }
  }
}

// The blocks of rows from `first_block` on, in one block of k.
template <class E>
void Windows<E>::run_panels(Index k, Index first_block, const T* b, Index width, T* sums,
                            Index stride) {
  MicroArgs<T> args;
  args.k = least(kProductBlock, w_.k - k);
  args.b_offsets = w_.offsets + k;
  args.to_stride = stride;
  args.add = k > 0;
  const Index end_block = least(blocks_.count, first_block + kBlocksAtOnce);
  args.b_step = panel_;
  // Columns j.. of a block of rows: whole panels, or the rest, which fills no panel.
  const auto run_columns = [&](Index block, Index j, Index panels) {
    const Index row = block * blocks_.base + least(block, blocks_.taller);
    const Index height = blocks_.height(block);
    const Index cols = least(panel_, width - j);
    const Index vectors = divide_up(cols, Kernels::kWidth);
    args.last_lanes = cols - (vectors - 1) * Kernels::kWidth;
    args.panels = panels;
    args.b = b + j;
    place_weights(row, height, k, args);
    args.to = sums + row * stride + j;
    Kernels::table(vectors, walk_, args.last_lanes != Kernels::kWidth)[height](args);
  };
  // What stays in the first-level cache is read anew for each block of rows, so that results are
  // written along their rows; else weights are read anew for each panel.
  const Index extent = args.b_offsets[args.k - 1] - args.b_offsets[0] + width;
  const bool by_rows = extent <= kPlanesInCache || args.k * width <= kWindowsInCache;
  const Index at_once = by_rows && width >= panel_ ? width / panel_ : 1;
  for (Index j = 0; j < width;) {
    const Index panels = least(at_once, width - j < panel_ ? 1 : (width - j) / panel_);
    for (Index block = first_block; block < end_block; ++block) {
      run_columns(block, j, panels);
    }
    j += panels * panel_;
  }
}

template <class E>
void Windows<E>::place_weights(Index row, Index height, Index k, MicroArgs<T>& args) const {
  if (w_.packed != nullptr) {
    args.a = static_cast<const T*>(w_.packed) + k * w_.m + row * args.k;
    args.a_stride = height;
  } else {
    args.a = static_cast<const T*>(w_.weights) + row * w_.weights_row_stride + k;
    args.a_stride = w_.weights_row_stride;
  }
}

// Copies the lines of the sums without what lies between them.
template <class E>
void Windows<E>::close_up(Index lines, const T* sums, T* to, Index row_stride, Index line_stride,
                          Index col_stride) const {
  for (Index i = 0; i < w_.m; ++i) {
    for (Index l = 0; l < lines; ++l) {
      const T* from = sums + i * width_ + l * w_.pitch;
      T* line = to + i * row_stride + l * line_stride;
      if (col_stride == 1) {
        copy_row(from, w_.cols, line);
      } else {
        for (Index c = 0; c < w_.cols; ++c) {
          line[c * col_stride] = from[c];
        }
      }
    }
  }
}

template <class E>
void Windows<E>::finish_lines(Index line, Index lines, T* sums) {
  if (w_.sums != nullptr) {
    close_up(lines, sums, static_cast<T*>(w_.sums) + line * w_.sums_line_stride, w_.sums_row_stride,
             w_.sums_line_stride, w_.sums_col_stride);
    return;
  }
  T* tile = sums;
  Index stride = width_;
  if (sizeof(E) == sizeof(T) && w_.c != nullptr) {
    tile = static_cast<T*>(w_.c) + line * w_.cols;
    stride = w_.c_row_stride;
  }
  // Within the scratch, lines move to the front, never past what is still to be read.
  close_up(lines, sums, tile, stride, w_.cols, 1);
  finish_tile<E>(region_, 0, w_.m, line * w_.cols, lines * w_.cols, tile, stride);
}

template <class E>
void run_windows(const WindowProduct& w) {
  using T = Compute<E>;
  Windows<E> windows(w);
  const Index bytes = windows.scratch_size() * static_cast<Index>(sizeof(T));
  windows.run(bytes == 0 ? nullptr : static_cast<T*>(product_workspace(bytes)));
}

}  // namespace rondo::codegen::RONDO_ISA
