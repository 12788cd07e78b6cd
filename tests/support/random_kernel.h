// Random kernels with the memory that they run on, for comparing a target with the reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "codegen/kernel.h"

namespace rondo::codegen {

/// Numbers that are the same everywhere (SplitMix64).
class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits();
  /// 0 .. n - 1
  std::int64_t below(std::int64_t n);
  bool one_in(std::int64_t n) { return below(n) == 0; }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(below(static_cast<std::int64_t>(from.size())))];
  }

 private:
  std::uint64_t state_;
};

/// What narrows a register to the values of a dtype, before it is stored; nothing if every value is
/// one.
std::optional<ScalarOp> rounding_to(Dtype dtype);

/// Where an operand lies.
struct CaseOperand {
  int buffer = 0;
  std::int64_t offset = 0;  // bytes from the begin of the buffer to (0, 0, 0)
  std::int64_t row_stride = 0;
  std::int64_t outer_stride = 0;
  std::int64_t col_stride = 0;
};

/// A kernel, the shape of a call, and what memory holds before it.
struct KernelCase {
  Kernel kernel;
  std::int64_t rows = 1;
  std::int64_t outer = 1;
  std::int64_t cols = 1;
  std::int64_t first_index = 0;
  std::vector<std::uint64_t> scalars;
  std::vector<CaseOperand> operands;
  std::vector<Dtype> dtypes;  // of the buffers
  std::vector<std::vector<std::byte>> buffers;
};

/// A case with several dtypes, strides of every kind, reductions, spills and in-place stores: the
/// same for the same seed.
KernelCase random_kernel(std::uint64_t seed);

/// Fills a buffer with values that are easy to handle or, if `wild`, also NaN, infinities, zeros of
/// both signs, subnormals, and integers at their limits.
void fill_random(std::vector<std::byte>& buffer, Dtype dtype, bool wild, RandomNumbers& random);

/// One run of a case, on a copy of its memory.
class CaseRun {
 public:
  CaseRun(const KernelCase& kernel_case, Schedule schedule);
  CaseRun(const CaseRun&) = delete;
  CaseRun& operator=(const CaseRun&) = delete;

  const KernelArgs& args() const { return args_; }
  const std::vector<std::vector<std::byte>>& buffers() const { return buffers_; }
  std::vector<std::vector<std::byte>>& buffers() { return buffers_; }

 private:
  std::vector<std::vector<std::byte>> buffers_;
  std::vector<std::byte*> data_;
  std::vector<std::int64_t> row_strides_, outer_strides_, col_strides_;
  std::vector<std::byte> scratch_;
  KernelArgs args_;
};

/// Empty if all of memory is the same (any NaN equals any NaN); else the first difference and the
/// kernel.
std::string difference(const KernelCase& kernel_case, const CaseRun& got, const CaseRun& expected);

/// The compile-time facts of the call: what a compiling target is asked for.
Variant variant_of(const KernelCase& kernel_case, Schedule schedule);

}  // namespace rondo::codegen
