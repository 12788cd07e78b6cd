// exp and what is made of it: exp2, expm1, sinh, cosh, tanh, sigmoid.
#pragma once

#include "codegen/scalar/coefficients.h"
#include "codegen/scalar/lanes.h"
#include "codegen/scalar/precise.h"

namespace rondo::codegen::inline RONDO_ISA::scalar {

/// ln 2.
template <class L>
inline constexpr Pair<Element<L>> kLog2 =
    kFloat<L>
        ? Pair<Element<L>>{Element<L>(0x1.62e43p-1), Element<L>(-0x1.05c61p-29)}
        : Pair<Element<L>>{Element<L>(0x1.62e42fefa39efp-1), Element<L>(0x1.abc9e3b39803fp-56)};

/// e^(hi + lo) - 1 - hi for |hi + lo| < 0.3475, where |lo| is tiny.
template <class L>
RONDO_FUNCTION L exp_tail(L hi, L lo) {
  if constexpr (kFloat<L>) {
    return multiply_add(hi * hi, polynomial<kExpTailFloat>(hi), lo);
  } else {
    return multiply_add(hi * hi, polynomial<kExpTailDouble>(hi), lo);
  }
}

/// x = n ln 2 + hi + lo with |hi| < 0.3475; `exponent` is n + 2 * kExponentBias.
template <class L>
struct ReducedExp {
  Unsigned<L> exponent;
  L hi;
  L lo;
};

template <class L>
RONDO_FUNCTION ReducedExp<L> reduce_exp(L x) {
  constexpr auto kInverse = static_cast<Element<L>>(0x1.71547652b82fep+0);
  const L sum = multiply_add(x, splat<L>(kInverse), splat<L>(kRounder<L>));
  const L n = sum - kRounder<L>;
  const L most = multiply_add(-n, splat<L>(kLog2<L>.hi), x);  // exact
  const L rest = n * kLog2<L>.lo;
  const L hi = most - rest;
  return {exponent_from_rounder(sum), hi, (most - hi) - rest};
}

/// e^(hi + lo) as a normalised pair in [0.7, 1.42].
template <class L>
RONDO_FUNCTION Pair<L> exp_pair(L hi, L lo) {
  const L tail = exp_tail(hi, lo);
  const Pair<L> sum = fast_sum(splat<L>(1), hi);
  return fast_sum(sum.hi, sum.lo + tail);
}

template <class L>
RONDO_FUNCTION L clamp(L x, Element<L> low, Element<L> high) {
  x = choose<L>(x < low, splat<L>(low), x);
  return choose<L>(x > high, splat<L>(high), x);
}

template <class L>
RONDO_FUNCTION L exp(L x) {
  using E = Element<L>;
  constexpr E kLow = kFloat<L> ? E(-104) : E(-746);
  constexpr E kHigh = kFloat<L> ? E(89) : E(710);
  const ReducedExp<L> r = reduce_exp(clamp<L>(x, kLow, kHigh));
  const Pair<L> sum = fast_sum(splat<L>(1), r.hi);
  return scale(sum.hi + (sum.lo + exp_tail(r.hi, r.lo)), r.exponent);
}

template <class L>
RONDO_FUNCTION L exp2(L x) {
  using E = Element<L>;
  constexpr E kLow = kFloat<L> ? E(-151) : E(-1076);
  constexpr E kHigh = kFloat<L> ? E(129) : E(1025);
  const L inside = clamp<L>(x, kLow, kHigh);
  const L sum = inside + kRounder<L>;
  const L fraction = inside - (sum - kRounder<L>);
  const L hi = fraction * kLog2<L>.hi;
  const L error = multiply_add(fraction, splat<L>(kLog2<L>.hi), -hi);
  const L lo = multiply_add(fraction, splat<L>(kLog2<L>.lo), error);
  const Pair<L> one = fast_sum(splat<L>(1), hi);
  return scale(one.hi + (one.lo + exp_tail(hi, lo)), exponent_from_rounder(sum));
}

/// (e^x - 1) / 2 as a normalised pair, from a reduced x and its exp_tail; nothing useful where n is
/// out of the range of exponents. Its last places are lost where x is subnormal.
template <class L>
RONDO_FUNCTION Pair<L> half_expm1(const ReducedExp<L>& r, L tail) {
  const Pair<L> p = fast_sum(r.hi, tail);
  const L power = power_of_two<L>(r.exponent - (kExponentBias<L> + 1U));
  const Pair<L> sum = fast_sum(power - Element<L>(0.5), power * p.hi);
  return fast_sum(sum.hi, multiply_add(power, p.lo, sum.lo));
}

/// Below this, e^x - 1 and sinh x are x.
template <class L>
inline constexpr Element<L> kTinyExpm1 = kFloat<L> ? Element<L>(0x1p-26) : Element<L>(0x1p-55);

template <class L>
RONDO_FUNCTION L expm1(L x) {
  using E = Element<L>;
  constexpr E kLow = kFloat<L> ? E(-20) : E(-40);
  constexpr E kHigh = kFloat<L> ? E(89) : E(710);
  const ReducedExp<L> r = reduce_exp(clamp<L>(x, kLow, kHigh));
  const L result = half_expm1(r, exp_tail(r.hi, r.lo)).hi * 2;
  return choose<L>(magnitude(x) < kTinyExpm1<L>, x, result);
}

/// h + h / (2 h + 1), where h = (e^|x| - 1) / 2; for large |x| half of e^|x|.
template <class L>
RONDO_FUNCTION L sinh(L x) {
  using E = Element<L>;
  const L size = magnitude(x);
  const ReducedExp<L> r = reduce_exp(clamp<L>(size, 0, kFloat<L> ? E(90) : E(711)));
  const L tail = exp_tail(r.hi, r.lo);
  const Pair<L> one = fast_sum(splat<L>(1), r.hi);
  const L large = scale(one.hi + (one.lo + tail), r.exponent - 1U);
  const Pair<L> h = half_expm1(r, tail);
  const Pair<L> d = exact_sum(splat<L>(1), 2 * h.hi);
  const Pair<L> quotient = divide<L>(h, {d.hi, d.lo + 2 * h.lo});
  const L small = h.hi + (quotient.hi + (h.lo + quotient.lo));
  const L result = choose<L>(size > E(30), large, small);
  // The sign comes last: LLVM 19 gets a choice of x or copy_sign(r, x) wrong at v4 (vpternlog).
  return copy_sign(choose<L>(size < kTinyExpm1<L>, size, result), x);
}

/// h + 1 / (4 h), where h = e^|x| / 2.
template <class L>
RONDO_FUNCTION L cosh(L x) {
  using E = Element<L>;
  const ReducedExp<L> r = reduce_exp(clamp<L>(magnitude(x), 0, kFloat<L> ? E(90) : E(711)));
  const Pair<L> one = fast_sum(splat<L>(1), r.hi);
  const L h = scale(one.hi + (one.lo + exp_tail(r.hi, r.lo)), r.exponent - 1U);
  return h + E(0.25) / h;
}

/// 1 - 2 / (e^2x + 1) for x of a float that is at least 0.9: what is subtracted is small.
template <class L>
RONDO_FUNCTION L large_tanh(L x) {
  using E = Element<L>;
  const L inside = choose<L>(x > E(10), splat<L>(10), x);
  const L sum = multiply_add(inside, splat<L>(E(0x1.715476p+1)), splat<L>(kRounder<L>));
  const L r = multiply_add(kRounder<L> - sum, splat<L>(kLog2<L>.hi), 2 * inside);
  const L p = multiply_add(r * r, polynomial<kExpTailFloat>(r), r + 1);
  const L power = power_of_two<L>(exponent_from_rounder(sum) - Element<Unsigned<L>>(127));
  return 1 - 2 / multiply_add(p, power, splat<L>(1));
}

/// h / (h + 1), where h = (e^2|x| - 1) / 2. Floats take a shorter way.
template <class L>
RONDO_FUNCTION L tanh(L x) {
  using E = Element<L>;
  const L size = magnitude(x);
  if constexpr (kFloat<L>) {
    const L square = x * x;
    const L small = multiply_add(size, square * polynomial<kTanhFloat>(square), size);
    return copy_sign(choose<L>(size < E(0.9), small, large_tanh(size)), x);
  } else {
    const ReducedExp<L> r = reduce_exp(clamp<L>(size, 0, E(20)) * 2);
    const Pair<L> h = half_expm1(r, exp_tail(r.hi, r.lo));
    const Pair<L> d = exact_sum(splat<L>(1), h.hi);
    const Pair<L> quotient = divide<L>(h, {d.hi, d.lo + h.lo});
    return copy_sign(quotient.hi + quotient.lo, x);
  }
}

/// 1 / (1 + z), where z = e^-x is a pair times 2^n. Where that would overflow, the power is kept
/// within range and the rest of it multiplies the result, which may then be subnormal.
template <class L>
RONDO_FUNCTION L sigmoid(L x) {
  using E = Element<L>;
  constexpr E kLow = kFloat<L> ? E(-104) : E(-746);
  constexpr auto kTop = static_cast<Element<Unsigned<L>>>(kExponentBias<L> * 7 / 4);
  const ReducedExp<L> r = reduce_exp(-clamp<L>(x, kLow, E(41)));
  const Pair<L> m = exp_pair(r.hi, r.lo);
  const Unsigned<L> biased = r.exponent - static_cast<Element<Unsigned<L>>>(kExponentBias<L>);
  const Unsigned<L> kept = choose<Unsigned<L>>(biased > kTop, splat<Unsigned<L>>(kTop), biased);
  const L power = power_of_two<L>(kept);
  const Pair<L> d = exact_sum(splat<L>(1), m.hi * power);
  const L inverse = 1 / d.hi;
  const L error = multiply_add(m.lo, power, d.lo);
  const L rest = multiply_add(-inverse, d.hi, splat<L>(1)) - inverse * error;
  const auto bias = static_cast<Element<Unsigned<L>>>(kExponentBias<L>);
  return multiply_add(inverse, rest, inverse) * power_of_two<L>(kept - biased + bias);
}

}  // namespace rondo::codegen::inline RONDO_ISA::scalar
