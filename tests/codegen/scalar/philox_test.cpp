#include "codegen/scalar/philox.h"

#include <array>
#include <cmath>
#include <limits>

#include "tests/codegen/scalar/apply.h"

namespace rondo::codegen {
namespace {

std::int64_t joined(std::uint32_t low, std::uint32_t high) {
  return static_cast<std::int64_t>(std::uint64_t{high} << 32 | low);
}

/// A known answer of Random123 (kat_vectors, philox4x32 10): counter, key and the four words.
struct Known {
  std::array<std::uint32_t, 4> counter;
  std::array<std::uint32_t, 2> key;
  std::array<std::uint32_t, 4> words;
};
constexpr Known kKnown[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
};

TEST(Philox, GivesTheKnownAnswersOfRandom123) {
  for (const Known& known : kKnown) {
    const std::int64_t seed = joined(known.key[0], known.key[1]);
    const std::int64_t index = joined(known.counter[0], known.counter[1]);
    const std::int64_t offset = joined(known.counter[2], known.counter[3]);
    const auto words =
        scalar::philox(static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(offset),
                       static_cast<std::uint64_t>(index));
    EXPECT_EQ(static_cast<std::uint32_t>(words.at0), known.words[0]);
    EXPECT_EQ(static_cast<std::uint32_t>(words.at1), known.words[1]);
    EXPECT_EQ(static_cast<std::uint32_t>(words.at2), known.words[2]);
    EXPECT_EQ(static_cast<std::uint32_t>(words.at3), known.words[3]);
    const I64 seeds{seed};
    EXPECT_EQ(apply<std::int32_t>(ScalarOp::random_i32, seeds, I64{offset}, I64{index})[0],
              static_cast<std::int32_t>(known.words[0]));
    EXPECT_EQ(apply<float>(ScalarOp::uniform_f32, seeds, I64{offset}, I64{index})[0],
              static_cast<float>(known.words[0] >> 8) / 16777216.0F);
    const std::uint64_t both = std::uint64_t{known.words[1]} << 32 | known.words[0];
    EXPECT_EQ(apply<double>(ScalarOp::uniform_f64, seeds, I64{offset}, I64{index})[0],
              static_cast<double>(both >> 11) / 9007199254740992.0);
  }
}

I64 counting(std::size_t n, std::int64_t start) {
  I64 result(n);
  for (std::size_t i = 0; i < n; ++i) {
    result[i] = start + static_cast<std::int64_t>(i);
  }
  return result;
}

TEST(Philox, MakesNormalsByBoxAndMuller) {
  constexpr std::size_t kCount = 100000;
  const I64 seed(kCount, 42);
  const I64 offset(kCount, 7);
  const I64 index = counting(kCount, 0);
  const F32 floats = apply<float>(ScalarOp::normal_f32, seed, offset, index);
  const F64 doubles = apply<double>(ScalarOp::normal_f64, seed, offset, index);
  double sum = 0;
  double squares = 0;
  double fourth = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    const auto words = scalar::philox(std::uint64_t{42}, std::uint64_t{7}, std::uint64_t{i});
    const double u = 1 - scalar::unit_double(words.at1, words.at0);
    const double v = scalar::unit_double(words.at3, words.at2);
    const double expected = std::sqrt(-2 * std::log(u)) * std::cos(2 * M_PI * v);
    ASSERT_NEAR(doubles[i], expected, 1e-14);
    const double u32 = 1 - double{scalar::unit_float(words.at0)};
    const double v32 = double{scalar::unit_float(words.at1)};
    ASSERT_NEAR(double{floats[i]}, std::sqrt(-2 * std::log(u32)) * std::cos(2 * M_PI * v32), 1e-6);
    sum += doubles[i];
    squares += doubles[i] * doubles[i];
    fourth += doubles[i] * doubles[i] * doubles[i] * doubles[i];
  }
  EXPECT_NEAR(sum / kCount, 0.0, 0.015);
  EXPECT_NEAR(squares / kCount, 1.0, 0.02);
  EXPECT_NEAR(fourth / kCount, 3.0, 0.15);
}

TEST(Philox, GivesFiniteNormalsAtBothEndsOfTheUniform) {
  for (const double radius : {0.0, 1.0 - 0x1p-53}) {
    for (const double angle : {0.0, 0.25, 0.5, 1.0 - 0x1p-53}) {
      EXPECT_TRUE(std::isfinite(scalar::normal_from(radius, angle)));
    }
  }
  EXPECT_EQ(scalar::cosine_of_turns(0.0), 1.0);
  EXPECT_EQ(scalar::cosine_of_turns(0.5), -1.0);
  EXPECT_EQ(scalar::cosine_of_turns(0.25F), 0.0F);
}

}  // namespace
}  // namespace rondo::codegen
