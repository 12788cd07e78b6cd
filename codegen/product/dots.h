// Matrix-vector products: the canonical sum of products of each row (docs/numerics.md).
#pragma once

#include "codegen/product/kernels.h"
#include "codegen/product/pack.h"

namespace rondo::codegen::RONDO_ISA {

inline constexpr Index kSumLanes = 16;
inline constexpr Index kSumBlock = 64 * kSumLanes;

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
void run_dots(const ProductRegion& r) {
  using T = Compute<E>;
  constexpr Index kRows = 4;
  const bool direct = sizeof(E) == sizeof(T) && r.a_col_stride == 1;
  const Index depth = r.k_end < kSumBlock ? r.k_end : kSumBlock;
  auto* x = static_cast<T*>(
      product_workspace(((kRows + 1) * depth + r.m + 64) * static_cast<Index>(sizeof(T))));
  T* rows = x + depth + 16;
  T* sums = rows + kRows * depth + 16;
  const auto* a = static_cast<const E*>(r.a);
  const auto* b = static_cast<const E*>(r.b);
  for (Index i = 0; i < r.m; ++i) {
    sums[i] = 0;
  }
  for (Index k = 0; k < r.k_end; k += kSumBlock) {
    const Index count = r.k_end - k < kSumBlock ? r.k_end - k : kSumBlock;
    for (Index p = 0; p < count; ++p) {
      x[p] = widen(b[(k + p) * r.b_row_stride]);
    }
    for (Index i = 0; i < r.m; i += kRows) {
      const Index height = r.m - i < kRows ? r.m - i : kRows;
      const E* from = a + i * r.a_row_stride + k * r.a_col_stride;
      const T* block = rows;
      Index stride = depth;
      if constexpr (sizeof(E) == sizeof(T)) {
        if (direct) {
          block = from;
          stride = r.a_row_stride;
        }
      }
      if (!direct) {
        for (Index q = 0; q < height; ++q) {
          for (Index p = 0; p < count; ++p) {
            rows[q * depth + p] = widen(from[q * r.a_row_stride + p * r.a_col_stride]);
          }
        }
      }
      if (height == kRows) {
        dot_block<T, kRows>(block, stride, x, count, sums + i, k > 0);
      } else {
        for (Index q = 0; q < height; ++q) {
          dot_block<T, 1>(block + q * stride, stride, x, count, sums + i + q, k > 0);
        }
      }
    }
  }
  if (r.epilogue != nullptr) {
    ProductTile tile = r.first;
    tile.rows = r.m;
    tile.cols = 1;
    tile.data = sums;
    tile.row_stride = 1;
    r.epilogue->run(r.epilogue->context, tile);
  }
  for (Index i = 0; r.c != nullptr && i < r.m; ++i) {
    E* to = static_cast<E*>(r.c) + i * r.c_row_stride;
    if constexpr (sizeof(E) == sizeof(T)) {
      *to = sums[i];
    } else {
      round_row(sums + i, to, 1);
    }
  }
}

}  // namespace rondo::codegen::RONDO_ISA
