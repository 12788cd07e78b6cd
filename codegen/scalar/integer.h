// Integer division, powers, bits and shifts. All are total: nothing traps and nothing is undefined.
#pragma once

#include "codegen/scalar/arithmetic.h"
#include "codegen/scalar/lanes.h"

namespace rondo::codegen::inline RONDO_ISA::scalar {

/// a / b towards zero; 0 where b is 0; the least over -1 wraps. 32 bits divide exactly in double.
template <class L>
RONDO_FUNCTION L integer_div(L a, L b) {
  const L divisor = choose<L>((b == 0) | (b == -1), splat<L>(1), b);
  L quotient;
  if constexpr (kBits<L> == 32) {
    quotient = convert<std::int32_t>(convert<double>(a) / convert<double>(divisor));
  } else {
    quotient = a / divisor;
  }
  quotient = choose<L>(b == -1, neg(a), quotient);
  return choose<L>(b == 0, splat<L>(0), quotient);
}

/// a - b * (a / b); 0 where b is 0.
template <class L>
RONDO_FUNCTION L integer_fmod(L a, L b) {
  const L rest = sub(a, mul(integer_div(a, b), b));
  return choose<L>(b == 0, splat<L>(0), rest);
}

template <class L>
RONDO_FUNCTION L integer_remainder(L a, L b) {
  const L rest = integer_fmod(a, b);
  return choose<L>((rest != 0) & ((rest ^ b) < 0), add(rest, b), rest);
}

template <class L>
RONDO_FUNCTION L integer_floor_div(L a, L b) {
  const L quotient = integer_div(a, b);
  const L rest = sub(a, mul(quotient, b));
  return choose<L>((b != 0) & (rest != 0) & ((rest ^ b) < 0), sub(quotient, splat<L>(1)), quotient);
}

/// base^exponent from the low bits of the exponent.
template <class L>
RONDO_FUNCTION L integer_power(L base, L exponent, int bits) {
  L result = splat<L>(1);
  for (int i = 0; i < bits; ++i) {
    result = choose<L>(((exponent >> i) & 1) != 0, mul(result, base), result);
    base = mul(base, base);
  }
  return result;
}

template <class E>
RONDO_SLOW E any_integer_power(E base, E exponent) {
  if (exponent >= 0) {
    return integer_power(base, exponent, kBits<E> - 1);
  }
  if (base == 1 || base == -1) {
    return (exponent & 1) == 0 ? 1 : base;
  }
  return 0;
}

/// Most exponents are small.
struct IntegerPow {
  static constexpr int kShort = 5;

  template <class L>
  RONDO_FUNCTION Mask<L> in_range(L, L exponent) {
    return (exponent >= 0) & (exponent < (1 << kShort));
  }
  template <class L>
  RONDO_FUNCTION L fast(L base, L exponent) {
    return integer_power(base, exponent, kShort);
  }
  template <class E>
  RONDO_FUNCTION E slow(E base, E exponent) {
    return any_integer_power(base, exponent);
  }
};

template <class L>
RONDO_FUNCTION L bit_and(L a, L b) {
  return a & b;
}

template <class L>
RONDO_FUNCTION L bit_or(L a, L b) {
  return a | b;
}

template <class L>
RONDO_FUNCTION L bit_xor(L a, L b) {
  return a ^ b;
}

template <class L>
RONDO_FUNCTION L bit_not(L x) {
  return ~x;
}

template <class L>
RONDO_FUNCTION L shl(L a, L count) {
  const Unsigned<L> shifted = as_unsigned(a) << (as_unsigned(count) & (kBits<L> - 1U));
  return choose<L>((count >= 0) & (count < kBits<L>), as_signed(shifted), splat<L>(0));
}

/// Arithmetic; by a logical shift between two exclusive ors, which AVX2 has for 64 bits too.
template <class L>
RONDO_FUNCTION L shr(L a, L count) {
  const L sign = choose<L>(a < 0, splat<L>(-1), splat<L>(0));
  const Unsigned<L> shifted = as_unsigned(a ^ sign) >> (as_unsigned(count) & (kBits<L> - 1U));
  return choose<L>((count >= 0) & (count < kBits<L>), as_signed(shifted) ^ sign, sign);
}

}  // namespace rondo::codegen::inline RONDO_ISA::scalar
