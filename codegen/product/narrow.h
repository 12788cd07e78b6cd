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

/// R rows times G groups of columns, with B blocks of k in flight at once: a chain waits for
/// itself, so there should be several, but few streams from memory.
template <class T, int R, int G, int B>
class Narrow {
 public:
  explicit Narrow(const ProductRegion& r)
      : a_(static_cast<const T*>(r.a)),
        b_(static_cast<const T*>(r.b)),
        c_(static_cast<T*>(r.c)),
        r_(r) {}

  /// The last group overlaps the one before, which stores the same values twice.
  void run() {
    for (Index j = 0; j < r_.n; j += G * kLanes) {
      Index cols[G];
      for (int g = 0; g < G; ++g) {
        cols[g] = least(j + g * kLanes, r_.n - kLanes);
      }
      run_groups(cols);
    }
  }

 private:
  using S = ColumnSquare<T>;
  using Vector = typename S::Vector;
  static constexpr Index kLanes = S::kLanes;

  const T* column(Index col) const { return b_ + col * r_.b_col_stride; }

  void run_groups(const Index (&cols)[G]) {
    T total[R][G][kLanes];
    for (Index begin = 0; begin < r_.k_end; begin += B * kProductBlock) {
      Vector acc[B][R][G] = {};
      const Index last = begin + (B - 1) * kProductBlock;
      Index together = 0;
      if (B > 1 && last < r_.k_end) {
        together = least(kProductBlock, r_.k_end - last) / S::kSteps * S::kSteps;
        run_steps<B>(cols, begin, together, acc);
      }
      for (int b = 0; b < B && begin + b * kProductBlock < r_.k_end; ++b) {
        const Index block = begin + b * kProductBlock;
        const Index depth = least(kProductBlock, r_.k_end - block);
        const Index whole = depth / S::kSteps * S::kSteps;
        run_steps<1>(cols, block + together, whole - together, acc + b);
        finish_block(cols, block, whole, depth, acc[b], total);
      }
    }
    for (int i = 0; i < R; ++i) {
      for (int g = 0; g < G; ++g) {
        std::memcpy(c_ + i * r_.c_row_stride + cols[g], total[i][g], sizeof(total[i][g]));
      }
    }
  }

  // `count` steps, whole squares, from `at` on in each of N blocks.
  template <int N>
  void run_steps(const Index (&cols)[G], Index at, Index count, Vector (*chains)[R][G]) const {
    Vector acc[N][R][G];
    std::memcpy(acc, chains, sizeof(acc));
    for (Index p = at; p < at + count; p += S::kSteps) {
#pragma GCC unroll 2
      for (int b = 0; b < N; ++b) {
#pragma GCC unroll 2
        for (int g = 0; g < G; ++g) {
          const Index step = p + b * kProductBlock;
          Vector steps[S::kSteps];
          S::load(column(cols[g]) + step, r_.b_col_stride, steps);
#pragma GCC unroll 4
          for (Index q = 0; q < S::kSteps; ++q) {
#pragma GCC unroll 2
            for (int i = 0; i < R; ++i) {
              const Vector row = S::broadcast(a_ + i * r_.a_row_stride + step + q);
              acc[b][i][g] = S::fma(row, steps[q], acc[b][i][g]);
            }
          }
        }
      }
    }
    std::memcpy(chains, acc, sizeof(acc));
  }

  // The steps of a block that fill no square, and the block's sums into the total.
  void finish_block(const Index (&cols)[G], Index block, Index done, Index depth,
                    const Vector (&acc)[R][G], T (&total)[R][G][kLanes]) const {
    for (int i = 0; i < R; ++i) {
      for (int g = 0; g < G; ++g) {
        T sums[kLanes];
        std::memcpy(sums, &acc[i][g], sizeof(sums));
        for (Index j = 0; j < kLanes; ++j) {
          for (Index q = block + done; q < block + depth; ++q) {
            sums[j] = fused(a_[i * r_.a_row_stride + q], column(cols[g] + j)[q], sums[j]);
          }
          total[i][g][j] = block == 0 ? sums[j] : total[i][g][j] + sums[j];
        }
      }
    }
  }

  const T* a_;
  const T* b_;
  T* c_;
  const ProductRegion& r_;
};

/// R rows, in the form that suits the size of b.
template <class T, int R>
void run_narrow_rows(const ProductRegion& r) {
  constexpr Index kNearBytes = 1 << 18;  // in the second-level cache
  constexpr Index kFarBytes = 1 << 24;   // in the third
  const Index bytes = r.n * r.k_end * static_cast<Index>(sizeof(T));
  if (r.k_end > kProductBlock && bytes <= kFarBytes) {
    Narrow<T, R, 1, 2>(r).run();
  } else if (bytes <= kNearBytes) {
    Narrow<T, R, 2, 1>(r).run();
  } else {
    Narrow<T, R, 1, 1>(r).run();
  }
}

/// Computes the region if it is of this kind; returns whether it was.
template <class T>
bool run_narrow(const ProductRegion& r) {
  if (r.m > 2 || r.n < ColumnSquare<T>::kLanes || r.k_end == 0 || r.k_begin != 0 ||
      r.b_row_stride != 1 || r.a_col_stride != 1 || r.sums != nullptr) {
    return false;
  }
  const ProductRegion own = with_sums<T>(r);
  own.m == 1 ? run_narrow_rows<T, 1>(own) : run_narrow_rows<T, 2>(own);
  finish_tile<T>(r, 0, r.m, 0, r.n, static_cast<T*>(own.c), own.c_row_stride);
  return true;
}

}  // namespace rondo::codegen::RONDO_ISA
