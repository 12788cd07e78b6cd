// asin, acos, atan and atan2.
#pragma once

#include "codegen/scalar/coefficients.h"
#include "codegen/scalar/lanes.h"
#include "codegen/scalar/precise.h"

namespace rondo::codegen::inline RONDO_ISA::scalar {

template <class L>
inline constexpr Pair<Element<L>> kQuarterPi =
    kFloat<L>
        ? Pair<Element<L>>{Element<L>(0x1.921fb6p-1), Element<L>(-0x1.777a5cp-26)}
        : Pair<Element<L>>{Element<L>(0x1.921fb54442d18p-1), Element<L>(0x1.1a62633145c07p-55)};

/// The angle of the point (x, y), or where `mirrored` pi minus it. x and y are at least 0, not both
/// of them 0, and neither so large nor so small that a step leaves the range of exponents. Near the
/// diagonal the angle is pi / 4 and that of (x + y, y - x), above it pi / 2 and that of (y, -x).
template <class L>
RONDO_FUNCTION L angle_of(L y, L x, Mask<L> mirrored) {
  using E = Element<L>;
  const Mask<L> low = y < x * E(0.41421356);
  const Mask<L> high = y > x * E(2.4142135);
  const Pair<L> difference = exact_sum(y, -x);
  const Pair<L> sum = exact_sum(x, y);
  const L zero = splat<L>(0);
  const Pair<L> top{choose<L>(low, y, choose<L>(high, -x, difference.hi)),
                    choose<L>(low | high, zero, difference.lo)};
  const Pair<L> bottom{choose<L>(low, x, choose<L>(high, y, sum.hi)),
                       choose<L>(low | high, zero, sum.lo)};
  const Pair<L> t = divide<L>(top, bottom);
  const L quarters = choose<L>(low, zero, choose<L>(high, splat<L>(2), splat<L>(1)));
  const L square = t.hi * t.hi;
  L tail;
  if constexpr (kFloat<L>) {
    tail = polynomial<kAtanFloat>(square);
  } else {
    tail = polynomial<kAtanDouble>(square);
  }
  const L small = multiply_add(t.hi * square, tail, t.lo);
  const L turned = choose<L>(mirrored, 4 - quarters, quarters);
  const Pair<L> base = exact_product(turned, splat<L>(kQuarterPi<L>.hi));
  const Pair<L> result = fast_sum(base.hi, choose<L>(mirrored, -t.hi, t.hi));
  const L rest = multiply_add(turned, splat<L>(kQuarterPi<L>.lo), base.lo);
  return result.hi + ((result.lo + rest) + choose<L>(mirrored, -small, small));
}

template <class L>
RONDO_FUNCTION L atan(L x) {
  using E = Element<L>;
  constexpr E kHuge = kFloat<L> ? E(1e30) : E(1e200);
  const L size = magnitude(x);
  const L inside = choose<L>(size > kHuge, splat<L>(kHuge), size);
  const Mask<L> never = size < 0;
  return copy_sign(angle_of(inside, splat<L>(1), never), x);
}

/// Both are scaled so that no step leaves the range of exponents, and large ones not below 1, so
/// that the smaller one loses nothing that its quotient keeps. Infinite ones become 1 and the other
/// one 0.
template <class L>
RONDO_FUNCTION L atan2(L y, L x) {
  using E = Element<L>;
  constexpr E kLarge = kFloat<L> ? E(0x1p60) : E(0x1p500);
  constexpr E kUp = kFloat<L> ? E(0x1p90) : E(0x1p600);
  L height = magnitude(y);
  L width = magnitude(x);
  const L zero = splat<L>(0);
  const L one = splat<L>(1);
  const Mask<L> high_infinite = height == kInfinity<L>;
  const Mask<L> wide_infinite = width == kInfinity<L>;
  const Mask<L> infinite = high_infinite | wide_infinite;
  const Mask<L> unknown = (x != x) | (y != y);
  height = choose<L>(infinite, choose<L>(high_infinite, one, zero), height);
  width = choose<L>(infinite, choose<L>(wide_infinite, one, zero), width);
  const L most = choose<L>(height > width, height, width);
  width = choose<L>(most == 0, one, width);
  const L factor = choose<L>(most > kLarge, splat<L>(1 / kLarge),
                             choose<L>(most < 1 / kLarge, splat<L>(kUp), one));
  const L result = angle_of(height * factor, width * factor, bits(x) < 0);
  return choose<L>(unknown, splat<L>(kNan<L>), copy_sign(result, y));
}

/// (asin x - x) / x for |x| <= 1 / 2, given x^2.
template <class L>
RONDO_FUNCTION L asin_tail(L square) {
  if constexpr (kFloat<L>) {
    return square * polynomial<kAsinFloat>(square);
  } else {
    return square * polynomial<kAsinDouble>(square);
  }
}

/// Where asin_pair gives another angle than asin |x|.
template <class L>
RONDO_FUNCTION Mask<L> past_half(L size) {
  return size > Element<L>(0.5);
}

/// asin |x| up to |x| = 1 / 2, and beyond that acos |x| = 2 asin sqrt((1 - |x|) / 2).
template <class L>
RONDO_FUNCTION Pair<L> asin_pair(L size) {
  using E = Element<L>;
  const Mask<L> large = past_half(size);
  const L half_rest = multiply_add(size, splat<L>(E(-0.5)), splat<L>(E(0.5)));
  const L square = choose<L>(large, half_rest, size * size);
  const L root = choose<L>(large, square_root(half_rest), size);
  const L hi = choose<L>(large, root + root, root);
  // What twice the rounded root lacks; at 0 that is nothing.
  const L lost = multiply_add(-root, root, half_rest) / choose<L>(root > 0, root, splat<L>(1));
  const L tail = hi * asin_tail(square);
  return {hi, choose<L>(large, tail + lost, tail)};
}

template <class L>
RONDO_FUNCTION L asin(L x) {
  const Pair<L> angle = asin_pair(magnitude(x));
  const Mask<L> large = past_half(magnitude(x));
  const Pair<L> rest = fast_sum(splat<L>(2 * kQuarterPi<L>.hi), -angle.hi);
  const L complement = rest.hi + (rest.lo + (2 * kQuarterPi<L>.lo - angle.lo));
  return copy_sign(choose<L>(large, complement, angle.hi + angle.lo), x);
}

template <class L>
RONDO_FUNCTION L acos(L x) {
  const Pair<L> angle = asin_pair(magnitude(x));
  const Mask<L> large = past_half(magnitude(x));
  const Mask<L> negative = x < 0;
  // pi / 2 - asin x; or acos |x|, or pi minus that.
  const L quarters = choose<L>(large, splat<L>(0), splat<L>(2));
  const L base = choose<L>(large & negative, splat<L>(4), quarters);
  const Mask<L> minus = (large & negative) | ((x > 0) & (quarters > 0));
  const L hi = choose<L>(minus, -angle.hi, angle.hi);
  const L lo = choose<L>(minus, -angle.lo, angle.lo);
  const Pair<L> sum = fast_sum(base * kQuarterPi<L>.hi, hi);
  return sum.hi + (sum.lo + multiply_add(base, splat<L>(kQuarterPi<L>.lo), lo));
}

}  // namespace rondo::codegen::inline RONDO_ISA::scalar
