// The error function.
#pragma once

#include "codegen/scalar/coefficients.h"
#include "codegen/scalar/exponential.h"
#include "codegen/scalar/lanes.h"
#include "codegen/scalar/precise.h"

namespace rondo::codegen::inline RONDO_ISA::scalar {

/// 1 - erfc(x) with erfc(x) = 2^-q for x >= Start, where q is a polynomial in x - Start and so
/// large that few of its places count.
template <const auto& kCoefficients, class L>
RONDO_FUNCTION L large_erf(L x, Element<L> start, Element<L> end) {
  constexpr auto kFirst = kCoefficients[0];
  const L distance = choose<L>(x > end, splat<L>(end), x) - start;
  const L slope = polynomial<kCoefficients, 1>(distance);
  const L sum = kRounder<L> - multiply_add(distance, slope, splat<L>(kFirst));
  const L n = kRounder<L> - sum;
  const L fraction = multiply_add(distance, slope, kFirst - n);
  const L r = fraction * -kLog2<L>.hi;
  const L p = 1 + exp_tail(r, r);
  const auto bias = static_cast<Element<Unsigned<L>>>(kExponentBias<L>);
  return multiply_add(-p, power_of_two<L>(exponent_from_rounder(sum) - bias), splat<L>(1));
}

template <class L>
RONDO_FUNCTION L erf(L x) {
  const L size = magnitude(x);
  const L square = x * x;
  if constexpr (kFloat<L>) {
    const L small = multiply_add(size, polynomial<kErfFloat>(square), size);
    const L large = large_erf<kErfcFloat>(size, 0.9375F, 4.0F);
    return copy_sign(choose<L>(size < 0.9375F, small, large), x);
  } else {
    // The first steps by Horner's rule, whose roundings are smaller.
    L tail = polynomial<kErfDouble, 2>(square);
    tail = multiply_add(square, tail, splat<L>(kErfDouble[1]));
    tail = multiply_add(square, tail, splat<L>(kErfDouble[0]));
    const L small = multiply_add(size, tail, size);
    const L large = large_erf<kErfcDouble>(size, 0.875, 6.0);
    return copy_sign(choose<L>(size < 0.875, small, large), x);
  }
}

}  // namespace rondo::codegen::inline RONDO_ISA::scalar
