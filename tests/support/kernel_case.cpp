// Values, runs and comparison of random kernel cases.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>
#include <memory>

#include "codegen/scalar/block.h"
#include "tests/support/random_kernel.h"
#include "tests/support/same_bits.h"

namespace rondo::codegen {
namespace {

constexpr std::size_t kScratchAlignment = 64;

double random_double(bool wild, RandomNumbers& random) {
  if (wild && random.one_in(6)) {
    constexpr double kWild[] = {0.0,
                                -0.0,
                                __builtin_nan(""),
                                __builtin_inf(),
                                -__builtin_inf(),
                                1e-310,
                                1e-41,
                                -3e-42,
                                1e38,
                                -1e30,
                                65504.,
                                6e-8,
                                1e300,
                                1e19,
                                -5e9};
    return kWild[random.below(std::size(kWild))];
  }
  const double unit = static_cast<double>(random.bits() >> 11) * 0x1p-53;
  return random.one_in(4) ? static_cast<double>(random.below(9) - 4) : unit * 8 - 4;
}

/// In the bits of a register.
std::uint64_t random_register(Reg reg, bool wild, RandomNumbers& random) {
  std::uint64_t bits = 0;
  if (reg == Reg::f32) {
    const auto value = static_cast<float>(random_double(wild, random));
    std::memcpy(&bits, &value, sizeof(value));
  } else if (reg == Reg::f64) {
    const double value = random_double(wild, random);
    std::memcpy(&bits, &value, sizeof(value));
  } else {
    constexpr std::int64_t kLimits[] = {INT64_MIN, INT64_MAX, INT32_MIN, INT32_MAX, 0, -1};
    std::int64_t value = random.below(17) - 8;
    if (wild && random.one_in(4)) {
      value =
          random.one_in(2) ? kLimits[random.below(6)] : static_cast<std::int64_t>(random.bits());
    }
    bits = static_cast<std::uint64_t>(value);
  }
  return bits;
}

/// What a buffer's element reads as.
std::uint64_t read(Dtype dtype, const std::byte* memory) {
  std::uint64_t bits = 0;
  load_function(dtype)(1, &bits, memory, 0);
  return bits;
}

bool same_element(Dtype dtype, const std::byte* a, const std::byte* b) {
  const auto size = static_cast<std::size_t>(size_bytes(dtype, 1));
  if (std::memcmp(a, b, size) == 0) {
    return true;
  }
  const std::uint64_t x = read(dtype, a);
  const std::uint64_t y = read(dtype, b);
  if (reg_of(dtype) == Reg::f32) {
    return same_bits(std::bit_cast<float>(static_cast<std::uint32_t>(x)),
                     std::bit_cast<float>(static_cast<std::uint32_t>(y)));
  }
  return reg_of(dtype) == Reg::f64 && same_bits(std::bit_cast<double>(x), std::bit_cast<double>(y));
}

}  // namespace

std::uint64_t RandomNumbers::bits() {
  state_ += 0x9E3779B97F4A7C15U;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

std::int64_t RandomNumbers::below(std::int64_t n) {
  return static_cast<std::int64_t>(bits() % static_cast<std::uint64_t>(n));
}

void fill_random(std::vector<std::byte>& buffer, Dtype dtype, bool wild, RandomNumbers& random) {
  const Reg reg = reg_of(dtype);
  const auto size = static_cast<std::size_t>(size_bytes(dtype, 1));
  for (std::size_t at = 0; at + size <= buffer.size(); at += size) {
    std::uint64_t bits = random_register(reg, wild, random);
    if (dtype == Dtype::boolean) {
      bits &= 1U;
    }
    store_function(dtype)(1, buffer.data() + at, 0, &bits);
  }
}

CaseRun::CaseRun(const KernelCase& kernel_case, Schedule schedule) : buffers_(kernel_case.buffers) {
  for (const CaseOperand& operand : kernel_case.operands) {
    data_.push_back(buffers_[static_cast<std::size_t>(operand.buffer)].data() + operand.offset);
    row_strides_.push_back(operand.row_stride);
    outer_strides_.push_back(operand.outer_stride);
    col_strides_.push_back(operand.col_stride);
  }
  scratch_.resize(static_cast<std::size_t>(scratch_bytes(kernel_case.kernel, schedule,
                                                         kernel_case.outer, kernel_case.cols)) +
                  kScratchAlignment);
  void* aligned = scratch_.data();
  std::size_t room = scratch_.size();
  std::align(kScratchAlignment, room - kScratchAlignment, aligned, room);
  args_ = {data_.data(),
           row_strides_.data(),
           outer_strides_.data(),
           col_strides_.data(),
           kernel_case.scalars.data(),
           kernel_case.rows,
           kernel_case.outer,
           kernel_case.cols,
           kernel_case.first_index,
           static_cast<std::byte*>(aligned)};
}

std::string difference(const KernelCase& kernel_case, const CaseRun& got, const CaseRun& expected) {
  for (std::size_t n = 0; n < kernel_case.buffers.size(); ++n) {
    const Dtype dtype = kernel_case.dtypes[n];
    const auto size = static_cast<std::size_t>(size_bytes(dtype, 1));
    const std::vector<std::byte>& x = got.buffers()[n];
    const std::vector<std::byte>& y = expected.buffers()[n];
    for (std::size_t at = 0; at + size <= x.size(); at += size) {
      if (!same_element(dtype, x.data() + at, y.data() + at)) {
        return fmt::format(
            "buffer {} ({}) differs at element {}: register {:x}, expected {:x}; rows {}, outer "
            "{}, cols {}\n{}",
            n, dtype_name(dtype), at / size, read(dtype, x.data() + at), read(dtype, y.data() + at),
            kernel_case.rows, kernel_case.outer, kernel_case.cols, print(kernel_case.kernel));
      }
    }
  }
  return {};
}

Variant variant_of(const KernelCase& kernel_case, Schedule schedule) {
  Variant variant{schedule, {}};
  for (std::size_t p = 0; p < kernel_case.operands.size(); ++p) {
    const CaseOperand& operand = kernel_case.operands[p];
    variant.strides.push_back(
        stride_class(schedule == Schedule::rows ? operand.col_stride : operand.row_stride,
                     kernel_case.kernel.operands[p].dtype));
  }
  return variant;
}

}  // namespace rondo::codegen
