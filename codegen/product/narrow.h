// One or two rows times a matrix whose columns are contiguous along k (x @ w.T): columns are
// transposed in registers as they are read, so that lanes still run over columns.
#pragma once

#include "codegen/product/finish.h"
#include "codegen/product/kernels.h"
#include "codegen/product/region_plan.h"

namespace rondo::codegen::RONDO_ISA {

inline float fused(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
inline double fused(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

/// A few steps of k of as many columns as a vector of 32 bytes has lanes.
template <class T>
struct ColumnSquare;

template <>
struct ColumnSquare<float> {
  static constexpr Index kSteps = 4;
  static constexpr Index kLanes = 8;
  using Vector = __m256;

  static Vector broadcast(const float* p) { return _mm256_broadcast_ss(p); }
  static Vector fma(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }
  /// out[q] = step q of the columns at `columns`, which lie `stride` apart.
  static void load(const float* columns, Index stride, Vector (&out)[kSteps]) {
    Vector in[4];
    for (Index i = 0; i < 4; ++i) {
      in[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(columns + i * stride)),
                                   _mm_loadu_ps(columns + (i + 4) * stride), 1);
    }
    const Vector low01 = _mm256_unpacklo_ps(in[0], in[1]);
    const Vector low23 = _mm256_unpacklo_ps(in[2], in[3]);
    const Vector high01 = _mm256_unpackhi_ps(in[0], in[1]);
    const Vector high23 = _mm256_unpackhi_ps(in[2], in[3]);
    out[0] = _mm256_shuffle_ps(low01, low23, 0x44);
    out[1] = _mm256_shuffle_ps(low01, low23, 0xEE);
    out[2] = _mm256_shuffle_ps(high01, high23, 0x44);
    out[3] = _mm256_shuffle_ps(high01, high23, 0xEE);
  }
};

template <>
struct ColumnSquare<double> {
  static constexpr Index kSteps = 2;
  static constexpr Index kLanes = 4;
  using Vector = __m256d;

  static Vector broadcast(const double* p) { return _mm256_broadcast_sd(p); }
  static Vector fma(Vector a, Vector b, Vector c) { return _mm256_fmadd_pd(a, b, c); }
  static void load(const double* columns, Index stride, Vector (&out)[kSteps]) {
    Vector in[2];
    for (Index i = 0; i < 2; ++i) {
      in[i] = _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(columns + i * stride)),
                                   _mm_loadu_pd(columns + (i + 2) * stride), 1);
    }
    out[0] = _mm256_unpacklo_pd(in[0], in[1]);
    out[1] = _mm256_unpackhi_pd(in[0], in[1]);
  }
};

/// total[i][j] = the elements of R rows and G groups of columns.
template <class T, int R, int G>
void narrow_columns(const T* a, Index a_stride, const T* columns, Index stride, Index k,
                    T (&total)[R][G * ColumnSquare<T>::kLanes]) {
  using S = ColumnSquare<T>;
  constexpr Index kColumns = G * S::kLanes;
  for (Index begin = 0; begin < k; begin += kProductBlock) {
    const Index end = least(k, begin + kProductBlock);
    typename S::Vector acc[R][G] = {};
    Index p = begin;
    for (; p + S::kSteps <= end; p += S::kSteps) {
#pragma GCC unroll 2
      for (int g = 0; g < G; ++g) {
        typename S::Vector steps[S::kSteps];
        S::load(columns + g * S::kLanes * stride + p, stride, steps);
#pragma GCC unroll 4
        for (Index q = 0; q < S::kSteps; ++q) {
#pragma GCC unroll 2
          for (int i = 0; i < R; ++i) {
            acc[i][g] = S::fma(S::broadcast(a + i * a_stride + p + q), steps[q], acc[i][g]);
          }
        }
      }
    }
    T sums[R][kColumns];
    std::memcpy(sums, acc, sizeof(acc));
    for (int i = 0; i < R; ++i) {
      for (Index j = 0; j < kColumns; ++j) {
        for (Index q = p; q < end; ++q) {
          sums[i][j] = fused(a[i * a_stride + q], columns[j * stride + q], sums[i][j]);
        }
        total[i][j] = begin == 0 ? sums[i][j] : total[i][j] + sums[i][j];
      }
    }
  }
}

/// All columns; the last group overlaps the one before, which stores the same values twice.
template <class T, int R, int G>
void narrow_rows(const ProductRegion& r) {
  constexpr Index kColumns = G * ColumnSquare<T>::kLanes;
  const auto* b = static_cast<const T*>(r.b);
  auto* c = static_cast<T*>(r.c);
  for (Index j = 0; j < r.n; j += kColumns) {
    const Index col = least(j, r.n - kColumns);
    T total[R][kColumns];
    narrow_columns<T, R, G>(static_cast<const T*>(r.a), r.a_row_stride, b + col * r.b_col_stride,
                            r.b_col_stride, r.k_end, total);
    for (int i = 0; i < R; ++i) {
      std::memcpy(c + i * r.c_row_stride + col, total[i], sizeof(total[i]));
    }
  }
}

/// Computes the region if it is of this kind; returns whether it was.
template <class T>
bool run_narrow(const ProductRegion& r) {
  constexpr Index kGroup = ColumnSquare<T>::kLanes;
  constexpr Index kCachedBytes = 1 << 18;
  if (r.m > 2 || r.n < kGroup || r.k_end == 0 || r.k_begin != 0 || r.b_row_stride != 1 ||
      r.a_col_stride != 1 || r.c == nullptr || r.a == nullptr || r.b == nullptr) {
    return false;
  }
  // From memory, fewer streams are faster; from cache, more chains.
  const bool cached =
      r.n >= 2 * kGroup && r.n * r.k_end * static_cast<Index>(sizeof(T)) <= kCachedBytes;
  if (r.m == 1) {
    cached ? narrow_rows<T, 1, 2>(r) : narrow_rows<T, 1, 1>(r);
  } else {
    cached ? narrow_rows<T, 2, 2>(r) : narrow_rows<T, 2, 1>(r);
  }
  finish_tile<T>(r, 0, r.m, 0, r.n, static_cast<T*>(r.c), r.c_row_stride);
  return true;
}

}  // namespace rondo::codegen::RONDO_ISA
