// Angles brought to a quarter turn: x = quadrant * pi / 2 + r with |r| < 0.8.
#pragma once

#include "codegen/scalar/lanes.h"
#include "codegen/scalar/precise.h"

namespace rondo::codegen::inline RONDO_ISA::scalar {

/// Of `quadrant` the two low bits count.
template <class L>
struct Angle {
  Pair<L> r;
  Signed<L> quadrant;
};

/// pi / 2 in three parts.
inline constexpr float kHalfPiFloat[] = {0x1.921fb6p0F, -0x1.777a5cp-25F, -0x1.ee59dap-50F};
inline constexpr double kHalfPiDouble[] = {0x1.921fb54442d18p0, 0x1.1a62633145c07p-54,
                                           -0x1.f1976b7ed8fbcp-110};

template <class L>
RONDO_FUNCTION constexpr Element<L> half_pi(int part) {
  if constexpr (kFloat<L>) {
    return kHalfPiFloat[part];
  } else {
    return kHalfPiDouble[part];
  }
}

/// Up to here three parts of pi / 2 are enough (Cody and Waite): found by trying all floats, and
/// for double by the distance of 2^-62 that every double keeps from multiples of pi / 2.
template <class L>
inline constexpr Element<L> kLargeAngle = kFloat<L> ? Element<L>(0x1p16) : Element<L>(0x1p30);

/// For 0 <= x <= kLargeAngle.
template <class L>
RONDO_FUNCTION Angle<L> reduce_angle(L x) {
  using E = Element<L>;
  constexpr E kTwoOverPi = static_cast<E>(0x1.45f306dc9c883p-1);
  constexpr E kShift = kFloat<L> ? E(0x1.8p23) : E(0x1.8p52);
  const L sum = multiply_add(x, splat<L>(kTwoOverPi), splat<L>(kShift));
  const L n = sum - kShift;
  const L most = multiply_add(-n, splat<L>(half_pi<L>(0)), x);  // exact
  const Pair<L> second = exact_product(n, splat<L>(half_pi<L>(1)));
  const Pair<L> r = exact_sum(most, -second.hi);
  const L third = multiply_add(n, splat<L>(half_pi<L>(2)), second.lo);
  return {fast_sum(r.hi, r.lo - third), bits(sum)};
}

/// 64 zeros and the binary digits of 2 / pi.
inline constexpr std::uint64_t kTwoOverPiDigits[] = {
    0,
    0xA2F9836E4E441529,
    0xFC2757D1F534DDC0,
    0xDB6295993C439041,
    0xFE5163ABDEBBC561,
    0xB7246E3A424DD2E0,
    0x06492EEA09D1921C,
    0xFE1DEB1CB129A73E,
    0xE88235F52EBB4484,
    0xE99C7026B45F7E41,
    0x3991D639835339F4,
    0x9C845F8BBDF9283B,
    0x1FF897FFDE05980F,
    0xEF2F118B5A0A6D1F,
    0x6D367ECF27CB09B7,
    0x4F463F669E5FEA2D,
    0x7527BAC7EBE5F17B,
    0x3D0739F78A5292EA,
    0x6BFB5FB11F8D5D08,
    0x56033046FC7B6BAB,
};

/// For finite x > 2^20, by 192 digits of 2 / pi (Payne and Hanek). Digits before them give whole
/// turns, those behind them are too small for the 53-bit integer that multiplies them.
RONDO_SLOW Angle<double> reduce_huge_angle(double x) {
  __extension__ using Wide = unsigned __int128;
  const auto all = __builtin_bit_cast(std::uint64_t, x);
  const std::uint64_t integer = (all & 0xFFFFFFFFFFFFF) | 0x10000000000000;
  const int offset = static_cast<int>(all >> 52) - 1075 + 62;
  const std::uint64_t* const digits = kTwoOverPiDigits + offset / 64;
  const int shift = offset % 64;
  std::uint64_t words[3];
  for (int i = 0; i < 3; ++i) {
    words[i] = static_cast<std::uint64_t>(((Wide{digits[i]} << 64 | digits[i + 1]) << shift) >> 64);
  }
  const Wide low = Wide{integer} * words[2];
  const Wide middle = Wide{integer} * words[1] + (low >> 64);
  const std::uint64_t high = integer * words[0] + static_cast<std::uint64_t>(middle >> 64);
  // Two digits of whole quarter turns and 190 of their fraction, of which 128 are kept.
  Wide fraction = (Wide{high} << 64 | static_cast<std::uint64_t>(middle)) << 2 |
                  static_cast<std::uint64_t>(low) >> 62;
  const bool negative = (fraction >> 127) != 0;
  const auto quadrant = static_cast<std::int64_t>(high >> 62) + (negative ? 1 : 0);
  fraction = negative ? -fraction : fraction;
  const int zeros = (fraction >> 64) != 0
                        ? __builtin_clzll(static_cast<std::uint64_t>(fraction >> 64))
                        : 64 + __builtin_clzll(static_cast<std::uint64_t>(fraction) | 1);
  fraction <<= zeros;
  const auto leading = static_cast<double>(static_cast<std::uint64_t>(fraction >> 75));
  const auto trailing = static_cast<double>(static_cast<std::uint64_t>(fraction >> 11));
  const double unit =
      power_of_two<double>(static_cast<std::uint64_t>(kExponentBias<double> - zeros));
  const double hi = leading * 0x1p-53 * (negative ? -unit : unit);
  const double lo = trailing * 0x1p-117 * (negative ? -unit : unit);
  const Pair<double> product = exact_product(hi, kHalfPiDouble[0]);
  return {fast_sum(product.hi, product.lo + (hi * kHalfPiDouble[1] + lo * kHalfPiDouble[0])),
          quadrant};
}

}  // namespace rondo::codegen::inline RONDO_ISA::scalar
