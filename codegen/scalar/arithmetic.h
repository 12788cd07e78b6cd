// Arithmetic of every class. Integers wrap; their division is in integer.h.
#pragma once

#include "codegen/scalar/lanes.h"

namespace rondo::codegen::inline RONDO_ISA::scalar {

/// x as unsigned lanes, where arithmetic wraps. Converts back with `as_signed`.
template <class L>
RONDO_FUNCTION Unsigned<L> as_unsigned(L x) {
  return __builtin_bit_cast(Unsigned<L>, x);
}
template <class U>
RONDO_FUNCTION Signed<U> as_signed(U x) {
  return __builtin_bit_cast(Signed<U>, x);
}

template <class L>
RONDO_FUNCTION L add(L a, L b) {
  if constexpr (kFloating<L>) {
    return a + b;
  } else {
    return as_signed(as_unsigned(a) + as_unsigned(b));
  }
}

template <class L>
RONDO_FUNCTION L sub(L a, L b) {
  if constexpr (kFloating<L>) {
    return a - b;
  } else {
    return as_signed(as_unsigned(a) - as_unsigned(b));
  }
}

template <class L>
RONDO_FUNCTION L mul(L a, L b) {
  if constexpr (kFloating<L>) {
    return a * b;
  } else {
    return as_signed(as_unsigned(a) * as_unsigned(b));
  }
}

template <class L>
RONDO_FUNCTION L neg(L x) {
  if constexpr (kFloating<L>) {
    return -x;
  } else {
    return as_signed(Unsigned<L>(0) - as_unsigned(x));
  }
}

template <class L>
RONDO_FUNCTION L abs(L x) {
  if constexpr (kFloating<L>) {
    return magnitude(x);
  } else {
    return choose<L>(x < 0, neg(x), x);
  }
}

template <class L>
RONDO_FUNCTION L sign(L x) {
  const L one = splat<L>(1);
  return choose<L>(x > 0, one, choose<L>(x < 0, -one, x));
}

template <class L>
RONDO_FUNCTION L minimum(L a, L b) {
  return choose<L>((b < a) | (b != b), b, a);
}

template <class L>
RONDO_FUNCTION L maximum(L a, L b) {
  return choose<L>((b > a) | (b != b), b, a);
}

template <class L>
RONDO_FUNCTION L fma(L a, L b, L c) {
  return multiply_add(a, b, c);
}

template <class L>
RONDO_FUNCTION L sqrt(L x) {
  return square_root(x);
}

template <class L>
RONDO_FUNCTION L rsqrt(L x) {
  return splat<L>(1) / square_root(x);
}

template <class L>
RONDO_FUNCTION L reciprocal(L x) {
  return splat<L>(1) / x;
}

}  // namespace rondo::codegen::inline RONDO_ISA::scalar
