#include "codegen/scalar/convert.h"

#include <cmath>

#include "tests/codegen/scalar/apply.h"

namespace rondo::codegen {
namespace {

TEST(Convert, TruncatesAndGivesTheLeastValueOutOfRange) {
  const F64 x{1.9,           -1.9,  2147483647.9, 2147483648.0, -2147483648.9,
              -2147483649.0, kNanD, kInfD,        -kInfD,       1e300};
  EXPECT_EQ(apply<std::int32_t>(ScalarOp::to_i32, x),
            (I32{1, -1, kMost, kLeast, kLeast, kLeast, kLeast, kLeast, kLeast, kLeast}));
  const F64 y{1.9,   -1.9,  9223372036854774784.0, 9223372036854775808.0, -9223372036854775808.0,
              kNanD, -kInfD};
  EXPECT_EQ(apply<std::int64_t>(ScalarOp::to_i64, y),
            (I64{1, -1, 9223372036854774784, kLeast64, kLeast64, kLeast64, kLeast64}));
  EXPECT_EQ(apply<std::int32_t>(ScalarOp::to_i32, F32{-3.7F, 3e9F, kNanF, 2147483520.0F}),
            (I32{-3, kLeast, kLeast, 2147483520}));
  EXPECT_EQ(apply<std::int64_t>(ScalarOp::to_i64, F32{-3.7F, 1e19F, kNanF, 0x1p62F}),
            (I64{-3, kLeast64, kLeast64, std::int64_t{1} << 62}));
}

TEST(Convert, WrapsFromWideToNarrowIntegers) {
  EXPECT_EQ(apply<std::int32_t>(ScalarOp::to_i32, I64{kMost64, 0x1FFFFFFFF, 0x80000000, -5}),
            (I32{-1, -1, kLeast, -5}));
  EXPECT_EQ(apply<std::int64_t>(ScalarOp::to_i64, I32{kLeast, kMost}), (I64{kLeast, kMost}));
}

TEST(Convert, RoundsToNearestEven) {
  I64 x{kLeast64,
        kMost64,
        0,
        -1,
        (std::int64_t{1} << 53) + 1,
        (std::int64_t{1} << 53) + 3,
        (std::int64_t{1} << 24) + 1};
  std::uint64_t state = 7;
  for (int i = 0; i < 10000; ++i) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    x.push_back(static_cast<std::int64_t>(state) >> (state % 64));
  }
  F64 doubles;
  F32 floats;
  for (const std::int64_t v : x) {
    doubles.push_back(static_cast<double>(v));
    floats.push_back(static_cast<float>(v));
  }
  expect_same_bits(apply<double>(ScalarOp::to_f64, x), doubles);
  expect_same_bits(apply<float>(ScalarOp::to_f32, x), floats);
  expect_same_bits(apply<float>(ScalarOp::to_f32, F64{1e300, 1e-46, 1.0 + 0x1p-24, kNanD}),
                   F32{kInfF, 0.0F, 1.0F, kNanF});
}

TEST(Rounding, GoesToIntegersWithSignsOfZeros) {
  const F64 x{-0.5, 0.5, 1.5, 2.5, -2.5, 0x1p52 + 1, kInfD, kNanD, -0.2};
  expect_same_bits(apply<double>(ScalarOp::floor, x),
                   F64{-1, 0, 1, 2, -3, 0x1p52 + 1, kInfD, kNanD, -1});
  expect_same_bits(apply<double>(ScalarOp::ceil, x),
                   F64{-0.0, 1, 2, 3, -2, 0x1p52 + 1, kInfD, kNanD, -0.0});
  expect_same_bits(apply<double>(ScalarOp::trunc, x),
                   F64{-0.0, 0, 1, 2, -2, 0x1p52 + 1, kInfD, kNanD, -0.0});
  expect_same_bits(apply<double>(ScalarOp::round_half_even, x),
                   F64{-0.0, 0, 2, 2, -2, 0x1p52 + 1, kInfD, kNanD, -0.0});
}

TEST(Rounding, WrapsToNarrowIntegers) {
  const I32 x{0, 127, 128, 255, 256, -1, -129, 32768, 65535, kLeast};
  EXPECT_EQ(apply<std::int32_t>(ScalarOp::round_bool, x), (I32{0, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(apply<std::int32_t>(ScalarOp::round_u8, x),
            (I32{0, 127, 128, 255, 0, 255, 127, 0, 255, 0}));
  EXPECT_EQ(apply<std::int32_t>(ScalarOp::round_i8, x),
            (I32{0, 127, -128, -1, 0, -1, 127, 0, -1, 0}));
  EXPECT_EQ(apply<std::int32_t>(ScalarOp::round_i16, x),
            (I32{0, 127, 128, 255, 256, -1, -129, -32768, -1, 0}));
}

/// The nearest multiple of the spacing around x of a format, which std::nearbyint finds exactly.
float round_to_format(float x, int precision, int least_exponent, float overflow) {
  if (!std::isfinite(x) || x == 0.0F) {
    return x;
  }
  int exponent = 0;
  std::frexp(x, &exponent);
  const int spacing = std::max(exponent - precision, least_exponent);
  const double rounded = std::ldexp(std::nearbyint(std::ldexp(double{x}, -spacing)), spacing);
  const bool over = std::fabs(rounded) >= double{overflow};
  return over ? std::copysign(kInfF, x) : std::copysign(static_cast<float>(rounded), x);
}

TEST(Rounding, GivesTheNearestSixteenBitFloat) {
  F32 x{0.0F,         -0.0F,        65504.0F,      65519.99F, 65520.0F, 0x1p-24F,
        0x1p-25F,     0x1.8p-25F,   0x1.8p-24F,    -kInfF,    kNanF,    0x1p-14F,
        0x1.ffcp-15F, 0x1.fffp-15F, 3.4028235e38F, 1e-45F};
  for (std::uint32_t i = 0; i < 2000000; ++i) {
    x.push_back(__builtin_bit_cast(float, i * 2147U + (i << 30)));
  }
  F32 half;
  F32 brain;
  for (const float v : x) {
    half.push_back(round_to_format(v, 11, -24, 65536.0F));
    brain.push_back(round_to_format(v, 8, -133, kInfF));
  }
  expect_same_bits(apply<float>(ScalarOp::round_f16, x), half);
  expect_same_bits(apply<float>(ScalarOp::round_bf16, x), brain);
}

}  // namespace
}  // namespace rondo::codegen
