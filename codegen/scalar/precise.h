// Building blocks of the mathematical functions: sums and products with their errors, polynomials,
// and scaling by powers of two.
#pragma once

#include "codegen/scalar/lanes.h"

namespace rondo::codegen::inline RONDO_ISA::scalar {

/// An unevaluated sum. Where a comment says normalised, lo is at most half a last place of hi.
template <class L>
struct Pair {
  L hi;
  L lo;
};

/// a + b with its error, where |a| >= |b| or a is 0.
template <class L>
RONDO_FUNCTION Pair<L> fast_sum(L a, L b) {
  const L sum = a + b;
  return {sum, b - (sum - a)};
}

/// a + b with its error, for any a and b (Knuth).
template <class L>
RONDO_FUNCTION Pair<L> exact_sum(L a, L b) {
  const L sum = a + b;
  const L part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

/// a * b with its error.
template <class L>
RONDO_FUNCTION Pair<L> exact_product(L a, L b) {
  const L product = a * b;
  return {product, multiply_add(a, b, -product)};
}

namespace detail {

/// The terms kCoefficients[Begin ...] of Count by Estrin's scheme: low + x^half * high. A chain of
/// Horner's is shorter by a few products but its latency is what these functions would wait for.
template <const auto& kCoefficients, int Begin, int Count, class L>
RONDO_FUNCTION L estrin(L x1, L x2, L x4, L x8, L x16) {
  if constexpr (Count == 1) {
    return splat<L>(kCoefficients[Begin]);
  } else if constexpr (Count == 2) {
    return multiply_add(x1, splat<L>(kCoefficients[Begin + 1]), splat<L>(kCoefficients[Begin]));
  } else {
    constexpr int kHalf = Count > 16 ? 16 : Count > 8 ? 8 : Count > 4 ? 4 : 2;
    const L power = kHalf == 16 ? x16 : kHalf == 8 ? x8 : kHalf == 4 ? x4 : x2;
    return multiply_add(estrin<kCoefficients, Begin + kHalf, Count - kHalf>(x1, x2, x4, x8, x16),
                        power, estrin<kCoefficients, Begin, kHalf>(x1, x2, x4, x8, x16));
  }
}

}  // namespace detail

/// c[0] + c[1] x + ... with the coefficients of an array from Begin on.
template <const auto& kCoefficients, int Begin = 0, class L>
RONDO_FUNCTION L polynomial(L x) {
  constexpr int kCount = sizeof(kCoefficients) / sizeof(kCoefficients[0]) - Begin;
  static_assert(kCount <= 32);
  const L x2 = x * x;
  const L x4 = x2 * x2;
  const L x8 = x4 * x4;
  return detail::estrin<kCoefficients, Begin, kCount>(x, x2, x4, x8, x8 * x8);
}

/// a / b as a pair of what division gives and its error, for normalised pairs. One division.
template <class L>
RONDO_FUNCTION Pair<L> divide(Pair<L> a, Pair<L> b) {
  const L inverse = 1 / b.hi;
  const L quotient = a.hi * inverse;
  const L rest = multiply_add(-quotient, b.hi, a.hi) + multiply_add(-quotient, b.lo, a.lo);
  return {quotient, rest * inverse};
}

template <class L>
inline constexpr int kMantissaBits = kFloat<L> ? 23 : 52;
template <class L>
inline constexpr int kExponentBias = kFloat<L> ? 127 : 1023;

/// Rounds a small number n to an integer when it is added: the low bits of the sum are then
/// n + 2 * kExponentBias, of which power_of_two and scale make 2^n.
template <class L>
inline constexpr Element<L> kRounder =
    kFloat<L> ? Element<L>(0x1.8p23 + 2 * 127) : Element<L>(0x1.8p52 + 2 * 1023);

/// n + 2 * kExponentBias from n + kRounder.
template <class L>
RONDO_FUNCTION Unsigned<L> exponent_from_rounder(L sum) {
  const auto base = splat<L>(kFloat<L> ? Element<L>(0x1.8p23) : Element<L>(0x1.8p52));
  return __builtin_bit_cast(Unsigned<L>, sum) - __builtin_bit_cast(Unsigned<L>, base);
}

/// 2^(biased - kExponentBias), for a result that is a normal number.
template <class L>
RONDO_FUNCTION L power_of_two(Unsigned<L> biased) {
  return __builtin_bit_cast(L, biased << kMantissaBits<L>);
}

/// x * 2^(doubled - 2 * kExponentBias) in two steps, so that only a subnormal result is rounded.
template <class L>
RONDO_FUNCTION L scale(L x, Unsigned<L> doubled) {
  const Unsigned<L> half = doubled >> 1;
  return x * power_of_two<L>(half) * power_of_two<L>(doubled - half);
}

}  // namespace rondo::codegen::inline RONDO_ISA::scalar
