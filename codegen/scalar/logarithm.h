// log, log2, log10 and log1p.
#pragma once

#include "codegen/scalar/coefficients.h"
#include "codegen/scalar/lanes.h"
#include "codegen/scalar/precise.h"

namespace rondo::codegen::inline RONDO_ISA::scalar {

/// x = 2^exponent (1 + fraction) with 1 + fraction in [sqrt 1/2, sqrt 2), for positive finite x.
template <class L>
struct ReducedLog {
  L exponent;
  L fraction;
};

/// Subnormals are scaled up first.
template <class L>
RONDO_FUNCTION ReducedLog<L> reduce_log(L x) {
  using E = Element<L>;
  using U = Element<Unsigned<L>>;
  constexpr E kScale = kFloat<L> ? E(0x1p23) : E(0x1p52);
  constexpr E kLeastNormal = kFloat<L> ? E(0x1p-126) : E(0x1p-1022);
  constexpr U kRoot = __builtin_bit_cast(U, kFloat<L> ? E(0x1.6a09e6p-1) : E(0x1.6a09e667f3bcdp-1));
  constexpr U kBias = U{kExponentBias<L>} << kMantissaBits<L>;
  constexpr U kMantissa = (U{1} << kMantissaBits<L>)-1;
  const Mask<L> subnormal = x < kLeastNormal;
  const Unsigned<L> all =
      __builtin_bit_cast(Unsigned<L>, choose<L>(subnormal, x * kScale, x)) + (kBias - kRoot);
  const L fraction = __builtin_bit_cast(L, (all & kMantissa) + kRoot) - 1;
  // The biased exponent becomes a number by way of the bits of kScale.
  const auto biased =
      __builtin_bit_cast(L, (all >> kMantissaBits<L>) | __builtin_bit_cast(U, kScale));
  const E shift = kScale + kExponentBias<L>;
  const L exponent =
      biased - choose<L>(subnormal, splat<L>(shift + kMantissaBits<L>), splat<L>(shift));
  return {exponent, fraction};
}

/// log(1 + f) = f - half_square + rest.
template <class L>
struct LogTerms {
  L half_square;
  L rest;
};

template <class L>
RONDO_FUNCTION LogTerms<L> log_terms(L f) {
  const L half_square = f * f * Element<L>(0.5);
  if constexpr (kFloat<L>) {
    return {half_square, f * f * (f * polynomial<kLogFloat>(f))};
  } else {
    // By log((1 + s) / (1 - s)) with s = f / (2 + f), where 2 s = f - s f (Cody and Waite).
    const L s = f / (f + 2);
    const L square = s * s;
    return {half_square, s * multiply_add(square, polynomial<kLogDouble>(square), half_square)};
  }
}

/// The values at 0, below, at infinity and at NaN, and `result` elsewhere.
template <class L>
RONDO_FUNCTION L finish_log(L x, L result) {
  const L special =
      choose<L>(x == 0, splat<L>(-kInfinity<L>), choose<L>(x < 0, splat<L>(kNan<L>), x));
  return choose<L>((x > 0) & (x < kInfinity<L>), result, special);
}

/// What a step of the exponent counts, ln 2 and log10 2: hi has few bits, so that its products with
/// exponents are exact.
template <class L>
inline constexpr Pair<Element<L>> kLog2Short =
    kFloat<L> ? Pair<Element<L>>{Element<L>(0x1.62e4p-1), Element<L>(0x1.7f7d1cp-20)}
              : Pair<Element<L>>{Element<L>(0x1.62e42fefa3p-1), Element<L>(0x1.3de6af278ece6p-42)};
template <class L>
inline constexpr Pair<Element<L>> kLog10Of2Short =
    kFloat<L> ? Pair<Element<L>>{Element<L>(0x1.344p-2), Element<L>(0x1.3509f8p-18)}
              : Pair<Element<L>>{Element<L>(0x1.34413509f7p-2), Element<L>(0x1.3fde623e2566bp-43)};

/// 1 / ln 2 and 1 / ln 10.
template <class L>
inline constexpr Pair<Element<L>> kLog2OfE =
    kFloat<L>
        ? Pair<Element<L>>{Element<L>(0x1.715476p0), Element<L>(0x1.4ae0cp-26)}
        : Pair<Element<L>>{Element<L>(0x1.71547652b82fep0), Element<L>(0x1.777d0ffda0d24p-56)};
template <class L>
inline constexpr Pair<Element<L>> kLog10OfE =
    kFloat<L>
        ? Pair<Element<L>>{Element<L>(0x1.bcb7b2p-2), Element<L>(-0x1.5b235ep-27)}
        : Pair<Element<L>>{Element<L>(0x1.bcb7b1526e50ep-2), Element<L>(0x1.95355baaafad3p-57)};

template <class L>
RONDO_FUNCTION L log(L x) {
  const ReducedLog<L> r = reduce_log(x);
  const LogTerms<L> t = log_terms(r.fraction);
  const Pair<L> sum = fast_sum(r.exponent * kLog2Short<L>.hi, r.fraction);
  const L error = multiply_add(r.exponent, splat<L>(kLog2Short<L>.lo), sum.lo);
  return finish_log(x, sum.hi + (error + (t.rest - t.half_square)));
}

/// log(1 + x): 1 + x has an error, which is added to the fraction. Where x is small the fraction
/// becomes x itself.
template <class L>
RONDO_FUNCTION L log1p(L x) {
  const Pair<L> one = exact_sum(splat<L>(1), x);
  const ReducedLog<L> r = reduce_log(one.hi);
  const L inverse_power = power_of_two<L>(exponent_from_rounder(kRounder<L> - r.exponent) -
                                          Element<Unsigned<L>>(kExponentBias<L>));
  const L lost = choose<L>(x < splat<L>(1 / kEpsilon<L>), one.lo * inverse_power, splat<L>(0));
  const L fraction = r.fraction + lost;
  const LogTerms<L> t = log_terms(fraction);
  const Pair<L> sum = fast_sum(r.exponent * kLog2Short<L>.hi, fraction);
  const L error = multiply_add(r.exponent, splat<L>(kLog2Short<L>.lo), sum.lo);
  const L result = sum.hi + (error + (t.rest - t.half_square));
  const L special =
      choose<L>(x == -1, splat<L>(-kInfinity<L>), choose<L>(x < -1, splat<L>(kNan<L>), x));
  return choose<L>((x > -1) & (x < kInfinity<L>)&(x != 0), result, special);
}

/// exponent * step + log(1 + fraction) * factor, with the logarithm and the product as pairs.
template <class L>
RONDO_FUNCTION L log_to_base(L x, Pair<Element<L>> step, Pair<Element<L>> factor) {
  const ReducedLog<L> r = reduce_log(x);
  const LogTerms<L> t = log_terms(r.fraction);
  const L square_error = multiply_add(r.fraction * Element<L>(0.5), r.fraction, -t.half_square);
  const Pair<L> most = fast_sum(r.fraction, -t.half_square);
  const Pair<L> natural = fast_sum(most.hi, (most.lo - square_error) + t.rest);
  const Pair<L> product = exact_product(natural.hi, splat<L>(factor.hi));
  const L small = natural.hi * factor.lo + natural.lo * factor.hi + product.lo;
  const Pair<L> sum = fast_sum(r.exponent * step.hi, product.hi);
  const L error = multiply_add(r.exponent, splat<L>(step.lo), sum.lo);
  return finish_log(x, sum.hi + (error + small));
}

template <class L>
RONDO_FUNCTION L log2(L x) {
  return log_to_base<L>(x, {1, 0}, kLog2OfE<L>);
}

template <class L>
RONDO_FUNCTION L log10(L x) {
  return log_to_base<L>(x, kLog10Of2Short<L>, kLog10OfE<L>);
}

}  // namespace rondo::codegen::inline RONDO_ISA::scalar
