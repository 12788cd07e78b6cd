// The innermost loops of the product: a block of rows and a few vectors of columns, kept in
// registers along k.
#pragma once

#include "codegen/product/simd.h"

namespace rondo::codegen::RONDO_ISA {

/// How a kernel finds a(i, p): at p + i * stride (rows as the caller stores them) or at
/// i + p * stride (packed, or a transposed operand).
enum class LayoutA { rows, interleaved };

template <class T>
struct MicroArgs {
  Index k = 0;  // at least 1
  const T* a = nullptr;
  Index a_stride = 0;
  const T* b = nullptr;
  Index b_stride = 0;
  const T* from = nullptr;  // where the chains begin; null: at zero
  Index from_stride = 0;
  T* to = nullptr;
  Index to_stride = 0;
  bool add = false;      // add the result to `to` instead of storing it
  Index last_lanes = 0;  // the columns of the last vector, for masked kernels
};

template <class T>
using MicroKernel = void (*)(const MicroArgs<T>&);

/// The kernels of one element type, by rows, vectors, layout of a and mask. Few rows may have wide
/// panels, so that there are enough chains to keep the multipliers busy.
template <class T>
class MicroKernels {
 public:
  static constexpr int kWidth = Simd<T>::kWidth;
  static constexpr int kRows = Simd<T>::kRegisters == 32 ? 12 : 6;
  static constexpr int kVectors = 2;
  static constexpr int kWideRows = Simd<T>::kRegisters == 32 ? 4 : 2;
  static constexpr int kWideVectors = 4;

  struct ByRows {
    MicroKernel<T> kernels[kRows];
    MicroKernel<T> operator[](Index rows) const { return kernels[rows - 1]; }
  };

  /// The kernels for `vectors` vectors; kMasked: the last vector is partly filled.
  static const ByRows& table(Index vectors, LayoutA layout, bool masked) {
    return kTable[layout == LayoutA::rows ? 0 : 1][masked ? 1 : 0][vectors - 1];
  }

 private:
  static const ByRows kTable[2][2][kWideVectors];  // micro_kernel.cpp
};

extern template class MicroKernels<float>;
extern template class MicroKernels<double>;

}  // namespace rondo::codegen::RONDO_ISA
