// Matrix-vector products: the canonical sum of products of each row (docs/numerics.md).
#pragma once

#include "codegen/canonical_order.h"
#include "codegen/product/dot_columns.h"
#include "codegen/product/finish.h"
#include "codegen/product/kernels.h"

namespace rondo::codegen::RONDO_ISA {

inline constexpr Index kSumLanes = kReduceLanes;
inline constexpr Index kSumBlock = kReduceBlockSteps * kSumLanes;

/// The sum of 16 lanes: l + (l + 8), then + 4, + 2, + 1.
template <class T>
T add_lanes(const T* lanes) {
  T sums[kSumLanes / 2];
  for (Index i = 0; i < 8; ++i) {
    sums[i] = lanes[i] + lanes[i + 8];
  }
  for (Index i = 0; i < 4; ++i) {
    sums[i] += sums[i + 4];
  }
  return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

/// sums[i] (+)= the sum of a block of rows i of a with x; rows are contiguous along k.
template <class T, int R>
void dot_block(const T* a, Index a_stride, const T* x, Index count, T* sums, bool accumulate) {
  using S = Simd<T>;
  constexpr int kVectors = static_cast<int>(kSumLanes) / S::kWidth;
  typename S::Vector acc[R][kVectors];
  for (int i = 0; i < R; ++i) {
    for (int j = 0; j < kVectors; ++j) {
      acc[i][j] = S::zero();
    }
  }
  Index p = 0;
  for (; p + kSumLanes <= count; p += kSumLanes) {
    for (int j = 0; j < kVectors; ++j) {
      const auto factor = S::load(x + p + j * S::kWidth);
      for (int i = 0; i < R; ++i) {
        acc[i][j] = S::fma(S::load(a + i * a_stride + p + j * S::kWidth), factor, acc[i][j]);
      }
    }
  }
  // Lanes past the end keep their value: adding a zero product could change the sign of a zero.
  for (int j = 0; j < kVectors; ++j) {
    const Index left = count - p - j * S::kWidth;
    const auto mask = S::mask(left < 0 ? 0 : left < S::kWidth ? left : S::kWidth);
    const auto factor = S::load(x + p + j * S::kWidth, mask);
    for (int i = 0; i < R; ++i) {
      const auto next =
          S::fma(S::load(a + i * a_stride + p + j * S::kWidth, mask), factor, acc[i][j]);
      acc[i][j] = S::select(mask, next, acc[i][j]);
    }
  }
  for (int i = 0; i < R; ++i) {
    T lanes[kSumLanes];
    for (int j = 0; j < kVectors; ++j) {
      S::store(lanes + j * S::kWidth, acc[i][j]);
    }
    const T sum = add_lanes(lanes);
    sums[i] = accumulate ? sums[i] + sum : sum;
  }
}

/// n = 1: c[i] = the dot product of row i of a with b.
template <class E>
class Dots {
 public:
  using T = Compute<E>;

  explicit Dots(const ProductRegion& r)
      : r_(r),
        in_place_(!kWidens && r.a_col_stride == 1),
        depth_(r.k_end < kSumBlock ? r.k_end : kSumBlock) {
    const Index size = depth_ + kRows * depth_ + r.m + 2 * kSlack;
    x_ = static_cast<T*>(product_workspace(size * static_cast<Index>(sizeof(T))));
    rows_ = x_ + depth_ + kSlack;
    sums_ = rows_ + kRows * depth_ + kSlack;
  }

  void run() {
    for (Index i = 0; i < r_.m; ++i) {
      sums_[i] = 0;
    }
    for (Index k = 0; k < r_.k_end; k += kSumBlock) {
      run_block(k, r_.k_end - k < kSumBlock ? r_.k_end - k : kSumBlock);
    }
    finish();
  }

 private:
  static constexpr bool kWidens = sizeof(E) != sizeof(T);
  static constexpr Index kRows = 4;
  static constexpr Index kSlack = 16;

  // Adds the block of `count` steps from k on to every sum.
  void run_block(Index k, Index count) {
    const auto* b = static_cast<const E*>(r_.b) + k * r_.b_row_stride;
    for (Index p = 0; p < count; ++p) {
      x_[p] = widen(b[p * r_.b_row_stride]);
    }
    if constexpr (!kWidens) {
      if (r_.a_row_stride == 1 && r_.a_col_stride != 1) {
        dot_all_columns(static_cast<const T*>(r_.a) + k * r_.a_col_stride, r_.a_col_stride, x_,
                        count, r_.m, sums_, k > 0);
        return;
      }
    }
    for (Index i = 0; i < r_.m; i += kRows) {
      const Index height = r_.m - i < kRows ? r_.m - i : kRows;
      const E* from = static_cast<const E*>(r_.a) + i * r_.a_row_stride + k * r_.a_col_stride;
      const T* rows = rows_;
      Index stride = depth_;
      if constexpr (!kWidens) {
        if (in_place_) {
          rows = from;
          stride = r_.a_row_stride;
        }
      }
      if (!in_place_) {
        copy_rows(from, height, count);
      }
      if (height == kRows) {
        dot_block<T, kRows>(rows, stride, x_, count, sums_ + i, k > 0);
      } else {
        for (Index q = 0; q < height; ++q) {
          dot_block<T, 1>(rows + q * stride, stride, x_, count, sums_ + i + q, k > 0);
        }
      }
    }
  }

  void copy_rows(const E* from, Index height, Index count) {
    for (Index q = 0; q < height; ++q) {
      for (Index p = 0; p < count; ++p) {
        rows_[q * depth_ + p] = widen(from[q * r_.a_row_stride + p * r_.a_col_stride]);
      }
    }
  }

  // Results need not lie side by side, so the epilogue sees the sums and they are stored after it.
  void finish() {
    if (r_.epilogue != nullptr) {
      ProductTile tile = r_.first;
      tile.rows = r_.m;
      tile.cols = 1;
      tile.data = sums_;
      tile.row_stride = 1;
      r_.epilogue->run(r_.epilogue->context, tile);
    }
    for (Index i = 0; r_.c != nullptr && i < r_.m; ++i) {
      store_row(sums_ + i, 1, static_cast<E*>(r_.c) + i * r_.c_row_stride);
    }
  }

  const ProductRegion& r_;
  bool in_place_;
  Index depth_;
  T* x_ = nullptr;
  T* rows_ = nullptr;
  T* sums_ = nullptr;
};

template <class E>
void run_dots(const ProductRegion& r) {
  Dots<E>(r).run();
}

}  // namespace rondo::codegen::RONDO_ISA
