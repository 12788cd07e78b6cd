// The innermost loop of the product: a block of rows and one or two vectors of columns, kept in
// registers along k.
#pragma once

#include <utility>

#include "codegen/product/simd.h"

namespace rondo::codegen::RONDO_ISA {

/// How a kernel finds a(i, p): at p + i * stride (rows as the caller stores them) or at
/// i + p * stride (packed, or a transposed operand).
enum class LayoutA { rows, interleaved };

template <class T>
struct MicroArgs {
  Index k = 0;
  const T* a = nullptr;
  Index a_stride = 0;
  const T* b = nullptr;
  Index b_stride = 0;
  T* c = nullptr;
  Index c_stride = 0;
  Index last_lanes = 0;     // the columns of the last vector, for masked kernels
  bool accumulate = false;  // add the block's sum to c instead of storing it
};

template <class T>
using MicroKernel = void (*)(const MicroArgs<T>&);

/// R rows by V vectors; kMasked: the last vector is partly filled.
template <class T, int R, int V, LayoutA kLayout, bool kMasked>
void micro_kernel(const MicroArgs<T>& args) {
  using S = Simd<T>;
  using Vector = typename S::Vector;
  const auto mask = S::mask(args.last_lanes);
  Vector acc[R][V];
  for (int i = 0; i < R; ++i) {
    for (int j = 0; j < V; ++j) {
      acc[i][j] = S::zero();
      __builtin_prefetch(args.c + i * args.c_stride + j * S::kWidth, 1, 3);
    }
  }
  const T* a = args.a;
  const T* b = args.b;
  const Index a_stride = args.a_stride;
  const Index b_stride = args.b_stride;
  // Three rows share a base pointer, so that rows of any stride need few registers.
  const T* bases[(R + 2) / 3];
  for (int i = 0; i < (R + 2) / 3; ++i) {
    bases[i] = a + 3 * i * a_stride;
  }
  for (Index p = args.k; p > 0; --p) {
    Vector column[V];
#pragma GCC unroll 8
    for (int j = 0; j < V; ++j) {
      const T* from = b + j * S::kWidth;
      column[j] = kMasked && j == V - 1 ? S::load(from, mask) : S::load(from);
    }
#pragma GCC unroll 16
    for (int i = 0; i < R; ++i) {
      const T* from = kLayout == LayoutA::rows ? bases[i / 3] + (i % 3) * a_stride : a + i;
      const Vector row = S::broadcast(*from);
#pragma GCC unroll 8
      for (int j = 0; j < V; ++j) {
        acc[i][j] = S::fma(row, column[j], acc[i][j]);
      }
    }
    b += b_stride;
    if constexpr (kLayout == LayoutA::rows) {
      for (int i = 0; i < (R + 2) / 3; ++i) {
        ++bases[i];
      }
    } else {
      a += a_stride;
    }
  }
  for (int i = 0; i < R; ++i) {
    for (int j = 0; j < V; ++j) {
      T* c = args.c + i * args.c_stride + j * S::kWidth;
      if (kMasked && j == V - 1) {
        S::store(c, args.accumulate ? S::add(S::load(c, mask), acc[i][j]) : acc[i][j], mask);
      } else {
        S::store(c, args.accumulate ? S::add(S::load(c), acc[i][j]) : acc[i][j]);
      }
    }
  }
}

/// The kernels of one element type, by rows, vectors, layout of a and mask.
template <class T>
struct MicroKernels {
  static constexpr int kRows = Simd<T>::kRegisters == 32 ? 12 : 6;
  static constexpr int kVectors = 2;
  static constexpr int kColumns = kVectors * Simd<T>::kWidth;

  static MicroKernel<T> find(Index rows, Index vectors, LayoutA layout, bool masked) {
    return kTable[layout == LayoutA::rows ? 0 : 1][masked ? 1 : 0][vectors - 1][rows - 1];
  }

 private:
  struct Row {
    MicroKernel<T> kernels[kRows];
    MicroKernel<T> operator[](Index rows) const { return kernels[rows]; }
  };
  template <int V, LayoutA kLayout, bool kMasked, int... R>
  static constexpr Row make_row(std::integer_sequence<int, R...>) {
    return {{micro_kernel<T, R + 1, V, kLayout, kMasked>...}};
  }
  template <int V, LayoutA kLayout, bool kMasked>
  static constexpr Row kRow =
      make_row<V, kLayout, kMasked>(std::make_integer_sequence<int, kRows>{});

  static constexpr Row kTable[2][2][kVectors] = {
      {{kRow<1, LayoutA::rows, false>, kRow<2, LayoutA::rows, false>},
       {kRow<1, LayoutA::rows, true>, kRow<2, LayoutA::rows, true>}},
      {{kRow<1, LayoutA::interleaved, false>, kRow<2, LayoutA::interleaved, false>},
       {kRow<1, LayoutA::interleaved, true>, kRow<2, LayoutA::interleaved, true>}}};
};

}  // namespace rondo::codegen::RONDO_ISA
