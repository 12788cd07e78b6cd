// The forms in which a kernel is compiled for a GPU.
#pragma once

#include <string>
#include <vector>

#include "codegen/kernel.h"

namespace rondo::codegen::cuda {

/// Who computes a row.
enum class Form : std::uint8_t {
  flat,   // no rows to speak of: one thread for each few elements; neither reductions nor stores of
          // row values
  rows,   // half a warp: its 16 threads are the 16 lanes of the canonical order
  block,  // a thread block: each half warp takes every 16th block of the canonical order
  columns,  // 16 threads of a block that takes 32 neighbouring rows, so that memory is read along
            // them
};

/// A row whose first reductions are worth the whole GPU is done in two launches.
enum class Stage : std::uint8_t {
  whole,
  partial,  // the results of the blocks of phase 0
  finish,   // everything behind them
};

inline constexpr int kThreads = 256;  // of a thread block, but for columns
inline constexpr int kHalfWarps = kThreads / 16;
inline constexpr int kColumnRows = 32;
inline constexpr int kColumnThreads = kColumnRows * 16;

/// Rows that a thread block has under way at a time.
constexpr int rows_at_once(Form form) {
  return form == Form::rows ? kHalfWarps : form == Form::columns ? kColumnRows : 1;
}

constexpr int threads_of(Form form) {
  return form == Form::columns ? kColumnThreads : kThreads;
}

/// Thread blocks of a multiprocessor for which registers are left: 128 for each thread. Without
/// it ptxas aims at the most threads of all and moves registers to memory for that.
constexpr int least_blocks(Form form) {
  return 65536 / (128 * threads_of(form));
}

/// Part of the key of a compiled kernel.
struct CudaVariant {
  Form form = Form::flat;
  Stage stage = Stage::whole;
  bool wide = false;     // 64-bit indices
  bool one_row = false;  // flat: rows need not be told apart
  int loops = 0;         // around the rows
  int pack = 1;          // flat: elements that a thread takes at once, of operands of class `unit`
  std::vector<StrideClass> strides;  // along c
  bool operator==(const CudaVariant&) const = default;
};

/// "flat whole 32 rows loops0 pack4 uz"
std::string print(const CudaVariant& variant);

/// Words of 8 bytes that a row's partial results take in each block of the canonical order.
int partial_words(const Kernel& kernel);

/// Bytes of all spilled registers of one element.
int spill_bytes(const Kernel& kernel);

/// Whether the first phase can be done by other launches than the rest.
bool can_split(const Kernel& kernel);

/// Whether neighbouring elements can go to threads that know nothing of each other.
bool can_flatten(const Kernel& kernel);

}  // namespace rondo::codegen::cuda
