#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "codegen/scalar/block.h"
#include "tests/codegen/scalar/apply.h"
#include "tests/support/halves.h"

namespace rondo::codegen {
namespace {

/// Elements of a 16-bit format: every pattern once.
std::vector<std::uint16_t> all_patterns() {
  std::vector<std::uint16_t> patterns(65536);
  std::iota(patterns.begin(), patterns.end(), std::uint16_t{0});
  return patterns;
}

void check_half(Dtype dtype, float (*value)(std::uint16_t)) {
  const std::vector<std::uint16_t> patterns = all_patterns();
  std::vector<float> expected;
  for (const std::uint16_t bits : patterns) {
    expected.push_back(value(bits));
  }
  Registers registers(patterns.size() * 4);
  const auto n = static_cast<std::int64_t>(patterns.size());
  load_function(dtype)(n, registers.data(), patterns.data(), 2);
  expect_same_bits(registers.values<float>(patterns.size()), expected);
  std::vector<std::uint16_t> stored(patterns.size());
  store_function(dtype)(n, stored.data(), 2, registers.data());
  for (std::size_t i = 0; i < stored.size(); ++i) {
    if (!std::isnan(expected[i])) {
      ASSERT_EQ(stored[i], patterns[i]);
    } else {
      ASSERT_TRUE(std::isnan(value(stored[i])));
    }
  }
}

TEST(Memory, ReadsAndWritesEverySixteenBitFloat) {
  check_half(Dtype::float16, half_to_float);
  check_half(Dtype::bfloat16, bfloat_to_float);
}

template <class Memory, class Register>
void check_strides(Dtype dtype) {
  constexpr std::int64_t kElements = 700;
  std::vector<Memory> memory(3 * kElements + 1);
  for (std::size_t i = 0; i < memory.size(); ++i) {
    memory[i] = static_cast<Memory>(dtype == Dtype::boolean ? i % 2 : i * 37);
  }
  const auto size = static_cast<std::int64_t>(sizeof(Memory));
  for (const std::int64_t step :
       {std::int64_t{1}, std::int64_t{3}, std::int64_t{0}, std::int64_t{-2}}) {
    const std::size_t start = step < 0 ? 2 * kElements : 0;
    for (const std::int64_t n : {std::int64_t{1}, std::int64_t{9}, std::int64_t{67}, kElements}) {
      SCOPED_TRACE(testing::Message() << dtype_name(dtype) << " step " << step << " n " << n);
      Registers registers(static_cast<std::size_t>(n) * sizeof(Register));
      load_function(dtype)(n, registers.data(), memory.data() + start, step * size);
      std::vector<Register> expected;
      std::vector<Memory> target(memory.size());
      std::vector<Memory> written(memory.size());
      for (std::int64_t i = 0; i < n; ++i) {
        const auto at = static_cast<std::size_t>(static_cast<std::int64_t>(start) + i * step);
        expected.push_back(static_cast<Register>(memory[at]));
        written[at] = memory[at];
      }
      expect_same_bits(registers.values<Register>(static_cast<std::size_t>(n)), expected);
      store_function(dtype)(n, target.data() + start, step * size, registers.data());
      EXPECT_EQ(target, written);
    }
  }
}

TEST(Memory, ReadsAndWritesWithAnyStride) {
  check_strides<std::uint8_t, std::int32_t>(Dtype::boolean);
  check_strides<std::uint8_t, std::int32_t>(Dtype::uint8);
  check_strides<std::int8_t, std::int32_t>(Dtype::int8);
  check_strides<std::int16_t, std::int32_t>(Dtype::int16);
  check_strides<std::int32_t, std::int32_t>(Dtype::int32);
  check_strides<std::int64_t, std::int64_t>(Dtype::int64);
  check_strides<float, float>(Dtype::float32);
  check_strides<double, double>(Dtype::float64);
}

TEST(Memory, ReadsAnyNonzeroByteAsTrueAndUnalignedElements) {
  const std::vector<std::uint8_t> bytes{0, 2, 255, 1, 0, 0, 0, 0, 0x80, 0x3F};
  Registers registers(64);
  load_function(Dtype::boolean)(4, registers.data(), bytes.data(), 1);
  EXPECT_EQ(registers.values<std::int32_t>(4), (std::vector<std::int32_t>{0, 1, 1, 1}));
  load_function(Dtype::float32)(1, registers.data(), bytes.data() + 6, 4);
  EXPECT_EQ(registers.values<float>(1), std::vector<float>{1.0F});
}

}  // namespace
}  // namespace rondo::codegen
