#include "codegen/scalar/arithmetic.h"

#include <cmath>

#include "tests/codegen/scalar/apply.h"

namespace rondo::codegen {
namespace {

TEST(Arithmetic, WrapsOnIntegers) {
  EXPECT_EQ(apply<std::int32_t>(ScalarOp::add, I32{kMost, -5}, I32{1, 3}), (I32{kLeast, -2}));
  EXPECT_EQ(apply<std::int32_t>(ScalarOp::sub, I32{kLeast, 7}, I32{1, 9}), (I32{kMost, -2}));
  EXPECT_EQ(apply<std::int64_t>(ScalarOp::mul, I64{kLeast64, 1 << 30}, I64{-1, 1 << 30}),
            (I64{kLeast64, std::int64_t{1} << 60}));
  EXPECT_EQ(apply<std::int32_t>(ScalarOp::neg, I32{kLeast, 4}), (I32{kLeast, -4}));
  EXPECT_EQ(apply<std::int64_t>(ScalarOp::abs, I64{kLeast64, -4}), (I64{kLeast64, 4}));
}

TEST(Arithmetic, LetsNanThroughMinimumAndMaximumAndReturnsTheFirstOfEqualOperands) {
  const F32 a{kNanF, 1.0F, -0.0F, 0.0F, 2.0F};
  const F32 b{1.0F, kNanF, 0.0F, -0.0F, 3.0F};
  expect_same_bits(apply<float>(ScalarOp::minimum, a, b), F32{kNanF, kNanF, -0.0F, 0.0F, 2.0F});
  expect_same_bits(apply<float>(ScalarOp::maximum, a, b), F32{kNanF, kNanF, -0.0F, 0.0F, 3.0F});
  EXPECT_EQ(apply<std::int64_t>(ScalarOp::maximum, I64{kLeast64, 4}, I64{kMost64, -4}),
            (I64{kMost64, 4}));
}

TEST(Arithmetic, GivesSignsOfZerosAndNans) {
  expect_same_bits(apply<double>(ScalarOp::sign, F64{-0.0, 0.0, kNanD, -kInfD, 5e-324}),
                   F64{-0.0, 0.0, kNanD, -1.0, 1.0});
  EXPECT_EQ(apply<std::int32_t>(ScalarOp::sign, I32{kLeast, 0, 9}), (I32{-1, 0, 1}));
}

TEST(Integer, DividesTotally) {
  const I32 a{7, -7, 7, -7, kLeast, 5, 0, kLeast, kMost};
  const I32 b{2, 2, -2, -2, -1, 0, 0, 1, kLeast};
  EXPECT_EQ(apply<std::int32_t>(ScalarOp::div, a, b), (I32{3, -3, -3, 3, kLeast, 0, 0, kLeast, 0}));
  EXPECT_EQ(apply<std::int32_t>(ScalarOp::fmod, a, b), (I32{1, -1, 1, -1, 0, 0, 0, 0, kMost}));
  EXPECT_EQ(apply<std::int32_t>(ScalarOp::floor_div, a, b),
            (I32{3, -4, -4, 3, kLeast, 0, 0, kLeast, -1}));
  EXPECT_EQ(apply<std::int32_t>(ScalarOp::remainder, a, b), (I32{1, 1, -1, -1, 0, 0, 0, 0, -1}));
  const I64 c{kLeast64, kLeast64, 9, -9, kMost64};
  const I64 d{-1, 0, -4, 4, kLeast64};
  EXPECT_EQ(apply<std::int64_t>(ScalarOp::div, c, d), (I64{kLeast64, 0, -2, -2, 0}));
  EXPECT_EQ(apply<std::int64_t>(ScalarOp::fmod, c, d), (I64{0, 0, 1, -1, kMost64}));
  EXPECT_EQ(apply<std::int64_t>(ScalarOp::floor_div, c, d), (I64{kLeast64, 0, -3, -3, -1}));
  EXPECT_EQ(apply<std::int64_t>(ScalarOp::remainder, c, d), (I64{0, 0, -3, 3, -1}));
}

TEST(Integer, DividesAllPairsOfSpecialsAsTheProcessorDoes) {
  I32 a;
  I32 b;
  I32 expected;
  for (const std::int32_t x : {kLeast, kLeast + 1, -65537, -3, -1, 0, 1, 2, 46341, kMost}) {
    for (const std::int32_t y : {kLeast, kLeast + 1, -46341, -2, 1, 2, 3, 65536, kMost}) {
      a.push_back(x);
      b.push_back(y);
      expected.push_back(x / y);
    }
  }
  EXPECT_EQ(apply<std::int32_t>(ScalarOp::div, a, b), expected);
}

TEST(Integer, RaisesToPowersByWrappingProducts) {
  const I32 base{3, 2, 2, -2, 0, 5, 1, -1, -1, 2, 7};
  const I32 exponent{4, 31, 32, 3, 0, -1, -7, -7, -8, -1, kMost};
  std::uint32_t last = 1;
  for (int i = 0; i < 31; ++i) {
    last = last * last * 7U;  // 7^(2^31 - 1), by the bits of its exponent, which are all ones
  }
  EXPECT_EQ(apply<std::int32_t>(ScalarOp::pow, base, exponent),
            (I32{81, kLeast, 0, -8, 1, 0, 1, -1, 1, 0, static_cast<std::int32_t>(last)}));
  EXPECT_EQ(apply<std::int64_t>(ScalarOp::pow, I64{3, -3, 10}, I64{40, 39, 18}),
            (I64{static_cast<std::int64_t>(12157665459056928801ULL), -4052555153018976267,
                 1000000000000000000}));
}

TEST(Integer, ShiftsTotally) {
  const I32 a{1, 1, 1, -1, -8, -8, -8, 8, kLeast};
  const I32 count{31, 32, -1, 1, 1, 32, -1, 40, 31};
  EXPECT_EQ(apply<std::int32_t>(ScalarOp::shl, a, count), (I32{kLeast, 0, 0, -2, -16, 0, 0, 0, 0}));
  EXPECT_EQ(apply<std::int32_t>(ScalarOp::shr, a, count), (I32{0, 0, 0, -1, -4, -1, -1, 0, -1}));
  EXPECT_EQ(apply<std::int64_t>(ScalarOp::shl, I64{1, 1, 3}, I64{63, 64, -1}),
            (I64{kLeast64, 0, 0}));
  EXPECT_EQ(apply<std::int64_t>(ScalarOp::shr, I64{kLeast64, -5, 5}, I64{63, 99, -1}),
            (I64{-1, -1, 0}));
}

TEST(Modulo, AgreesWithFmodAndPython) {
  const F64 a{7.5, -7.5, 7.5, -7.5, 1e300, -1e300, 5e-324, 3.0, -3.0, 0.0, -0.0, 1.0, -1.0, kInfD};
  const F64 b{2.0, 2.0, -2.0, -2.0, 3.0, 3e-300, 4e-320, 0.0, 0.0, -2.0, 2.0, kInfD, kInfD, 2.0};
  F64 remainders;
  F64 quotients;
  F64 expected;
  for (std::size_t i = 0; i < a.size(); ++i) {
    expected.push_back(std::fmod(a[i], b[i]));
  }
  expect_same_bits(apply<double>(ScalarOp::fmod, a, b), expected);
  const double large = std::fmod(1e300, 3.0);
  const double small = 3e-300 - std::fmod(1e300, 3e-300);
  expect_same_bits(
      apply<double>(ScalarOp::remainder, a, b),
      F64{1.5, 0.5, -0.5, -1.5, large, small, 5e-324, kNanD, kNanD, -0.0, 0.0, 1.0, kInfD, kNanD});
  const F64 floors = apply<double>(ScalarOp::floor_div, a, b);
  expect_same_bits(F64(floors.begin(), floors.begin() + 4), F64{3.0, -4.0, -4.0, 3.0});
  expect_same_bits(F64(floors.begin() + 6, floors.end()),
                   F64{0.0, kInfD, -kInfD, -0.0, -0.0, 0.0, -1.0, kNanD});
}

TEST(Modulo, IsExactOnAnyPairOfFloats) {
  F32 a;
  F32 b;
  F32 expected;
  std::uint32_t state = 1;
  for (int i = 0; i < 200000; ++i) {
    state = state * 1664525U + 1013904223U;
    const float x = __builtin_bit_cast(float, state);
    state = state * 1664525U + 1013904223U;
    const float y = i % 2 == 0 ? __builtin_bit_cast(float, state)
                               : x * (1.0F + static_cast<float>(state >> 8) * 0x1p-22F);
    a.push_back(i % 2 == 0 ? x : y);
    b.push_back(i % 2 == 0 ? y : x);
    expected.push_back(std::fmod(a.back(), b.back()));
  }
  expect_same_bits(apply<float>(ScalarOp::fmod, a, b), expected);
}

TEST(Compare, IsFalseOnNanExceptForNe) {
  const F32 a{kNanF, 1.0F, kInfF};
  const F32 b{kNanF, 2.0F, kInfF};
  EXPECT_EQ(apply<std::int32_t>(ScalarOp::eq, a, b), (I32{0, 0, 1}));
  EXPECT_EQ(apply<std::int32_t>(ScalarOp::ne, a, b), (I32{1, 1, 0}));
  EXPECT_EQ(apply<std::int32_t>(ScalarOp::lt, a, b), (I32{0, 1, 0}));
  EXPECT_EQ(apply<std::int32_t>(ScalarOp::le, a, b), (I32{0, 1, 1}));
  EXPECT_EQ(apply<std::int32_t>(ScalarOp::gt, a, b), (I32{0, 0, 0}));
  EXPECT_EQ(apply<std::int32_t>(ScalarOp::ge, a, b), (I32{0, 0, 1}));
  EXPECT_EQ(apply<std::int32_t>(ScalarOp::isnan, a), (I32{1, 0, 0}));
  EXPECT_EQ(apply<std::int32_t>(ScalarOp::isinf, a), (I32{0, 0, 1}));
  EXPECT_EQ(apply<std::int32_t>(ScalarOp::isfinite, a), (I32{0, 1, 0}));
  EXPECT_EQ(apply<double>(ScalarOp::select, I32{0, 2, -1}, F64{1, 2, 3}, F64{4, 5, 6}),
            (F64{4, 2, 3}));
}

}  // namespace
}  // namespace rondo::codegen
