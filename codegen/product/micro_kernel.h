// The innermost loops of the product: a block of rows and a few vectors of columns, kept in
// registers along k.
#pragma once

#include "codegen/product/simd.h"

namespace rondo::codegen::RONDO_ISA {

/// How a kernel walks along k, that is, where it finds a(i, p) and the columns b(p, 0).. of a step.
enum class Walk {
  rows,         // a + i * a_stride + p (rows as the caller stores them); b + p * b_stride
  interleaved,  // a + i + p * a_stride (packed, or a transposed operand); b + p * b_stride
  windows,      // a + i + p * a_stride; b + b_offsets[p]
  window_rows,  // a + i * a_stride + p; b + b_offsets[p]
  runs,         // a_rows[i] + p, where p jumps by `skip` after each run; b + p * b_stride
};
inline constexpr int kWalks = 5;

template <class T>
struct MicroArgs {
  Index k = 0;  // steps, at least 1
  const T* a = nullptr;
  Index a_stride = 0;
  const T* b = nullptr;
  Index b_stride = 0;
  const Index* b_offsets = nullptr;
  const T* const* a_rows = nullptr;
  Index first_run = 0;  // steps before the first jump
  Index run = 0;        // steps between jumps
  Index skip = 0;
  const T* from = nullptr;  // where the chains begin; null: at zero
  Index from_stride = 0;
  T* to = nullptr;
  Index to_stride = 0;
  Index panels = 1;  // side by side in `from` and `to`, b_step apart in b; masked ones come singly
  Index b_step = 0;
  bool add = false;      // add the result to `to` instead of storing it
  Index last_lanes = 0;  // the columns of the last vector, for masked kernels
};

template <class T>
using MicroKernel = void (*)(const MicroArgs<T>&);

/// The kernels of one element type, by rows, vectors, walk and mask. Few rows may have wide
/// panels, so that there are enough chains to keep the multipliers busy.
template <class T>
class MicroKernels {
 public:
  static constexpr int kWidth = Simd<T>::kWidth;
  static constexpr int kRows = Simd<T>::kRegisters == 32 ? 12 : 6;
  static constexpr int kRunRows = 6;
  static constexpr int kVectors = 2;
  static constexpr int kWideRows = Simd<T>::kRegisters == 32 ? 4 : 2;
  static constexpr int kWideVectors = 4;

  struct ByRows {
    MicroKernel<T> kernels[kRows];
    MicroKernel<T> operator[](Index rows) const { return kernels[rows - 1]; }
  };

  /// The kernels for `vectors` vectors; masked: the last vector is partly filled. Runs have at most
  /// kRunRows rows, as each takes a register for its address.
  static const ByRows& table(Index vectors, Walk walk, bool masked) {
    return kTable[static_cast<int>(walk)][masked ? 1 : 0][vectors - 1];
  }

 private:
  static const ByRows kTable[kWalks][2][kWideVectors];  // micro_kernel.cpp
};

extern template class MicroKernels<float>;
extern template class MicroKernels<double>;

}  // namespace rondo::codegen::RONDO_ISA
