// Powers with floating exponents.
#pragma once

#include "codegen/scalar/coefficients.h"
#include "codegen/scalar/exponential.h"
#include "codegen/scalar/integer.h"
#include "codegen/scalar/lanes.h"
#include "codegen/scalar/logarithm.h"
#include "codegen/scalar/precise.h"

namespace rondo::codegen::inline RONDO_ISA::scalar {

/// |x|^y for x that is neither 0 nor infinite, by way of double.
template <class L>
RONDO_FUNCTION L float_power(L x, L y) {
  using D = With<L, double>;
  const ReducedLog<D> r = reduce_log(convert<double>(x));
  const D s = r.fraction / (r.fraction + 2);
  const D log = multiply_add(s, polynomial<kPowLog>(s * s), r.exponent);
  const D product = clamp<D>(convert<double>(y) * log, -200, 200);
  const D sum = product + kRounder<D>;
  const D fraction = product - (sum - kRounder<D>);
  const D power = power_of_two<D>(exponent_from_rounder(sum) - std::uint64_t{1023});
  const D result = multiply_add(fraction, polynomial<kPowExp>(fraction), splat<D>(1));
  return convert<float>(result * power);
}

/// log x as a pair with an error of about 2^-66 of it: 2 s (1 + s^2 / 3 + s^4 ...) with
/// s = f / (2 + f), where all but the rest from s^4 on is computed in pairs.
template <class L>
RONDO_FUNCTION Pair<L> precise_log(L x) {
  constexpr double kThird = 0x1.5555555555555p-2;
  constexpr double kThirdRest = 0x1.5555555555555p-56;
  const ReducedLog<L> r = reduce_log(x);
  const Pair<L> below = fast_sum(splat<L>(2), r.fraction);
  const Pair<L> quotient = divide<L>({r.fraction, splat<L>(0)}, below);
  const Pair<L> s = fast_sum(quotient.hi, quotient.lo);
  Pair<L> square = exact_product(s.hi, s.hi);
  square.lo = multiply_add(2 * s.hi, s.lo, square.lo);
  const L rest = square.hi * polynomial<kPowTail>(square.hi);
  Pair<L> factor = fast_sum(splat<L>(kThird), rest);
  factor.lo = factor.lo + kThirdRest;
  Pair<L> relative = exact_product(square.hi, factor.hi);
  relative.lo = multiply_add(square.hi, factor.lo, multiply_add(square.lo, factor.hi, relative.lo));
  Pair<L> correction = exact_product(s.hi, relative.hi);
  correction.lo = multiply_add(s.hi, relative.lo, multiply_add(s.lo, relative.hi, correction.lo));
  Pair<L> half = fast_sum(s.hi, correction.hi);
  half.lo = half.lo + (s.lo + correction.lo);
  const Pair<L> sum = fast_sum(r.exponent * kLog2Short<L>.hi, 2 * half.hi);
  const L lost = multiply_add(r.exponent, splat<L>(kLog2Short<L>.lo), 2 * half.lo);
  return fast_sum(sum.hi, sum.lo + lost);
}

/// The same in double, with the logarithm and its product by y as pairs.
template <class L>
RONDO_FUNCTION L double_power(L x, L y) {
  const Pair<L> log = precise_log(x);
  const Pair<L> product = exact_product(y, log.hi);
  const L hi = clamp<L>(product.hi, -800, 800);
  const Mask<L> inside = magnitude(product.hi) < 800;
  const L lo = choose<L>(inside, multiply_add(y, log.lo, product.lo), splat<L>(0));
  const ReducedExp<L> reduced = reduce_exp(hi);
  const Pair<L> r = fast_sum(reduced.hi, reduced.lo + lo);
  const Pair<L> one = fast_sum(splat<L>(1), r.hi);
  return scale(one.hi + (one.lo + exp_tail(r.hi, r.lo)), reduced.exponent);
}

/// C's pow, special cases included.
template <class L>
RONDO_FUNCTION L floating_pow(L x, L y) {
  using E = Element<L>;
  const L size = magnitude(x);
  const L one = splat<L>(1);
  const L infinity = splat<L>(kInfinity<L>);
  L result;
  if constexpr (kFloat<L>) {
    result = float_power(size, y);
  } else {
    result = double_power(size, y);
  }
  // 0 and infinity, whose powers are 0 or infinite by the sign of y.
  const Mask<L> grows = (size > 1) == (y > 0);
  result = choose<L>((size == 0) | (size == infinity) | (magnitude(y) == infinity),
                     choose<L>(grows, infinity, splat<L>(0)), result);
  const L half = y * E(0.5);
  const L whole = round_to_zero(y);
  const L whole_half = round_to_zero(half);
  const Mask<L> odd = (whole == y) & (whole_half != half);
  result = choose<L>((x < 0) & (size < infinity) & (whole != y), splat<L>(kNan<L>), result);
  result = choose<L>(odd, copy_sign(result, x), result);
  result = choose<L>((x != x) | (y != y), splat<L>(kNan<L>), result);
  return choose<L>((y == 0) | (x == 1) | ((x == -1) & (magnitude(y) == infinity)), one, result);
}

template <class L>
RONDO_FUNCTION L pow(L x, L y) {
  if constexpr (kFloating<L>) {
    return floating_pow(x, y);
  } else {
    return with_repair<IntegerPow>(x, y);
  }
}

}  // namespace rondo::codegen::inline RONDO_ISA::scalar
