// Floating fmod, remainder and floor_div: exact remainders, then the signs of Python.
#pragma once

#include "codegen/scalar/integer.h"
#include "codegen/scalar/lanes.h"

namespace rondo::codegen::inline RONDO_ISA::scalar {

/// Quotients below this are divided in one step: quotient and remainder are then exact.
template <class L>
inline constexpr auto kOneStep = static_cast<Element<L>>(kFloat<L> ? 0x1p22 : 0x1p51);

template <class L>
struct Division {
  L quotient;
  L rest;
};

/// The whole quotient and the rest of a >= 0 by b > 0, where a / b < 2 * kOneStep. The rounded
/// quotient may be one too large; the rest is a multiple of the last place of b, so fma is exact.
template <class L>
RONDO_FUNCTION Division<L> divide_step(L a, L b) {
  const L quotient = round_to_zero(a / b);
  const L rest = multiply_add(-quotient, b, a);
  const Mask<L> over = rest < 0;
  return {choose<L>(over, quotient - 1, quotient), choose<L>(over, rest + b, rest)};
}

/// C's fmod by steps that divide by b times falling powers of kOneStep.
template <class E>
RONDO_SLOW E long_fmod(E a, E b) {
  const E divisor = magnitude(b);
  E rest = magnitude(a);
  if (!(rest < kInfinity<E>) || !(divisor > 0)) {
    return kNan<E>;
  }
  if (divisor == kInfinity<E>) {
    return a;
  }
  E scaled = divisor;
  while (scaled * kOneStep<E> <= rest) {
    scaled *= kOneStep<E>;
  }
  for (; scaled > divisor; scaled /= kOneStep<E>) {
    rest = divide_step(rest, scaled).rest;
  }
  return copy_sign(divide_step(rest, divisor).rest, a);
}

/// NumPy's steps, for quotients whose last place may exceed one.
template <class E>
RONDO_SLOW E long_floor_div(E a, E b) {
  const E rest = long_fmod(a, b);
  if (b == 0) {
    return a / b;
  }
  E quotient = (a - rest) / b;
  if (rest != 0 && (rest < 0) != (b < 0)) {
    quotient -= 1;
  }
  if (quotient == 0) {
    return copy_sign(quotient, a / b);
  }
  const E whole = round_down(quotient);
  return quotient - whole > E(0.5) ? whole + 1 : whole;
}

/// Where one step is enough.
struct Modulo {
  template <class L>
  RONDO_FUNCTION Mask<L> in_range(L a, L b) {
    return (magnitude(a) < magnitude(b) * kOneStep<L>)&(magnitude(b) < kInfinity<L>);
  }
};

struct Fmod : Modulo {
  template <class L>
  RONDO_FUNCTION L fast(L a, L b) {
    return copy_sign(divide_step(magnitude(a), magnitude(b)).rest, a);
  }
  template <class E>
  RONDO_FUNCTION E slow(E a, E b) {
    return long_fmod(a, b);
  }
};

struct Remainder : Modulo {
  template <class L>
  RONDO_FUNCTION L signed_like(L rest, L b) {
    const Mask<L> differ = ((rest < 0) & (b > 0)) | ((rest > 0) & (b < 0));
    return choose<L>(rest == 0, copy_sign(rest, b), choose<L>(differ, rest + b, rest));
  }
  template <class L>
  RONDO_FUNCTION L fast(L a, L b) {
    return signed_like(Fmod::fast(a, b), b);
  }
  template <class E>
  RONDO_FUNCTION E slow(E a, E b) {
    return signed_like(long_fmod(a, b), b);
  }
};

struct FloorDiv : Modulo {
  template <class L>
  RONDO_FUNCTION L fast(L a, L b) {
    const Division<L> whole = divide_step(magnitude(a), magnitude(b));
    const Mask<L> differ = (bits(a) ^ bits(b)) < 0;
    const L below = choose<L>(whole.rest > 0, whole.quotient + 1, whole.quotient);
    return choose<L>(differ, -below, whole.quotient);
  }
  template <class E>
  RONDO_FUNCTION E slow(E a, E b) {
    return long_floor_div(a, b);
  }
};

/// C's fmod: the sign of a.
template <class L>
RONDO_FUNCTION L fmod(L a, L b) {
  if constexpr (kFloating<L>) {
    return with_repair<Fmod>(a, b);
  } else {
    return integer_fmod(a, b);
  }
}

/// Python's %: the sign of b.
template <class L>
RONDO_FUNCTION L remainder(L a, L b) {
  if constexpr (kFloating<L>) {
    return with_repair<Remainder>(a, b);
  } else {
    return integer_remainder(a, b);
  }
}

/// Python's //.
template <class L>
RONDO_FUNCTION L floor_div(L a, L b) {
  if constexpr (kFloating<L>) {
    return with_repair<FloorDiv>(a, b);
  } else {
    return integer_floor_div(a, b);
  }
}

template <class L>
RONDO_FUNCTION L div(L a, L b) {
  if constexpr (kFloating<L>) {
    return a / b;
  } else {
    return integer_div(a, b);
  }
}

}  // namespace rondo::codegen::inline RONDO_ISA::scalar
