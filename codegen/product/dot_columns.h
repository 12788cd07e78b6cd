// Matrix-vector products of a matrix whose rows lie side by side: vectors run along the rows.
#pragma once

#include "codegen/canonical_order.h"
#include "codegen/product/finish.h"
#include "codegen/product/kernels.h"

namespace rondo::codegen::RONDO_ISA {

/// kCount vectors of neighbouring rows; with kPart only the first lanes of the last one.
template <class T, int kCount, bool kPart>
struct RowVectors {
  using S = Simd<T>;
  typename S::Vector v[kCount];

  static RowVectors load(const T* from, typename S::Mask mask) {
    RowVectors r;
    for (int j = 0; j < kCount; ++j) {
      const T* at = from + j * S::kWidth;
      r.v[j] = kPart && j == kCount - 1 ? S::load(at, mask) : S::load(at);
    }
    return r;
  }
  void store(T* to, typename S::Mask mask) const {
    for (int j = 0; j < kCount; ++j) {
      if (kPart && j == kCount - 1) {
        S::store(to + j * S::kWidth, v[j], mask);
      } else {
        S::store(to + j * S::kWidth, v[j]);
      }
    }
  }
  static RowVectors zero() {
    RowVectors r;
    for (int j = 0; j < kCount; ++j) {
      r.v[j] = S::zero();
    }
    return r;
  }
  RowVectors operator+(const RowVectors& other) const {
    RowVectors r;
    for (int j = 0; j < kCount; ++j) {
      r.v[j] = S::add(v[j], other.v[j]);
    }
    return r;
  }
  void add_product(const RowVectors& a, typename S::Vector factor) {
    for (int j = 0; j < kCount; ++j) {
      v[j] = S::fma(a.v[j], factor, v[j]);
    }
  }
};

/// sums[i] (+)= the sum of a block of neighbouring rows i of a with x, in the order of
/// docs/numerics.md: half of the 16 lanes at a time, so that they stay in registers.
template <class T, int kCount, bool kPart>
void dot_columns(const T* a, Index a_stride, const T* x, Index count, Index last_lanes, T* sums,
                 bool accumulate) {
  using S = Simd<T>;
  using Rows = RowVectors<T, kCount, kPart>;
  constexpr Index kHalf = kReduceLanes / 2;
  const auto mask = S::mask(last_lanes);
  Rows lanes[2][kHalf];
  for (Index half = 0; half < 2; ++half) {
    Rows sum[kHalf];
    for (Rows& lane : sum) {
      lane = Rows::zero();
    }
    Index p = half * kHalf;
    for (; p + kHalf <= count; p += 2 * kHalf) {
      for (Index l = 0; l < kHalf; ++l) {
        sum[l].add_product(Rows::load(a + (p + l) * a_stride, mask), S::broadcast(x[p + l]));
      }
    }
    for (Index l = 0; p + l < count; ++l) {
      sum[l].add_product(Rows::load(a + (p + l) * a_stride, mask), S::broadcast(x[p + l]));
    }
    for (Index l = 0; l < kHalf; ++l) {
      lanes[half][l] = sum[l];
    }
  }
  Rows total[kHalf];
  for (Index l = 0; l < kHalf; ++l) {
    total[l] = lanes[0][l] + lanes[1][l];
  }
  for (Index l = 0; l < 4; ++l) {
    total[l] = total[l] + total[l + 4];
  }
  const Rows result = (total[0] + total[2]) + (total[1] + total[3]);
  (accumulate ? Rows::load(sums, mask) + result : result).store(sums, mask);
}

/// The same for all rows 0 .. height - 1.
template <class T>
void dot_all_columns(const T* a, Index a_stride, const T* x, Index count, Index height, T* sums,
                     bool accumulate) {
  constexpr Index kWidth = Simd<T>::kWidth;
  constexpr int kCount = Simd<T>::kRegisters / 16;
  Index i = 0;
  for (; i + kCount * kWidth <= height; i += kCount * kWidth) {
    dot_columns<T, kCount, false>(a + i, a_stride, x, count, kWidth, sums + i, accumulate);
  }
  for (; i < height; i += kWidth) {
    const Index lanes = height - i < kWidth ? height - i : kWidth;
    dot_columns<T, 1, true>(a + i, a_stride, x, count, lanes, sums + i, accumulate);
  }
}

}  // namespace rondo::codegen::RONDO_ISA
