// sin, cos and tan.
#pragma once

#include "codegen/scalar/angle.h"
#include "codegen/scalar/coefficients.h"
#include "codegen/scalar/lanes.h"
#include "codegen/scalar/precise.h"

namespace rondo::codegen::inline RONDO_ISA::scalar {

/// Sine and cosine as leading parts with what is to be added to them.
template <class L>
struct SineCosine {
  Pair<L> sine;
  Pair<L> cosine;
};

template <class L>
RONDO_FUNCTION SineCosine<L> sine_cosine(Pair<L> r) {
  using E = Element<L>;
  const L square = r.hi * r.hi;
  const L half = square * E(0.5);
  L sine;
  L cosine;
  if constexpr (kFloat<L>) {
    sine = polynomial<kSinFloat>(square);
    cosine = polynomial<kCosFloat>(square);
  } else {
    sine = polynomial<kSinDouble>(square);
    cosine = polynomial<kCosDouble>(square);
  }
  const L sine_rest = multiply_add(square * r.hi, sine, multiply_add(-half, r.lo, r.lo));
  const Pair<L> one = fast_sum(splat<L>(1), -half);
  const L cosine_rest = one.lo + multiply_add(square * square, cosine, -(r.hi * r.lo));
  return {{r.hi, sine_rest}, {one.hi, cosine_rest}};
}

/// The sine of x, given that of |x| up to its sign: minus in the quadrants 2 and 3 of turns.
template <class L>
RONDO_FUNCTION L with_sign_of_quadrant(L value, Signed<L> quadrant) {
  using U = Element<Unsigned<L>>;
  const Unsigned<L> sign = (__builtin_bit_cast(Unsigned<L>, quadrant) & U{2}) << (kBits<L> - 2);
  return __builtin_bit_cast(L, __builtin_bit_cast(Unsigned<L>, value) ^ sign);
}

template <class L>
RONDO_FUNCTION L sine_of(const Angle<L>& angle) {
  const SineCosine<L> both = sine_cosine(angle.r);
  const Mask<L> odd = (angle.quadrant & 1) != 0;
  const L hi = choose<L>(odd, both.cosine.hi, both.sine.hi);
  const L lo = choose<L>(odd, both.cosine.lo, both.sine.lo);
  return with_sign_of_quadrant<L>(hi + lo, angle.quadrant);
}

template <class L>
RONDO_FUNCTION L tangent_of(const Angle<L>& angle) {
  const SineCosine<L> both = sine_cosine(angle.r);
  const Pair<L> sine = fast_sum(both.sine.hi, both.sine.lo);
  const Pair<L> cosine = fast_sum(both.cosine.hi, both.cosine.lo);
  const Mask<L> odd = (angle.quadrant & 1) != 0;
  const Pair<L> top{choose<L>(odd, -cosine.hi, sine.hi), choose<L>(odd, -cosine.lo, sine.lo)};
  const Pair<L> bottom{choose<L>(odd, sine.hi, cosine.hi), choose<L>(odd, sine.lo, cosine.lo)};
  const Pair<L> quotient = divide<L>(top, bottom);
  return quotient.hi + quotient.lo;
}

/// Large angles are reduced in double for both classes.
RONDO_FUNCTION Angle<double> reduce_large_angle(double x) {
  return x <= kLargeAngle<double> ? reduce_angle(x) : reduce_huge_angle(x);
}

template <class E>
RONDO_SLOW E large_sine(E x) {
  if (!(magnitude(x) < kInfinity<E>)) {
    return kNan<E>;
  }
  const double result = sine_of(reduce_large_angle(static_cast<double>(magnitude(x))));
  return static_cast<E>(x < 0 ? -result : result);
}

template <class E>
RONDO_SLOW E large_cosine(E x) {
  if (!(magnitude(x) < kInfinity<E>)) {
    return kNan<E>;
  }
  Angle<double> angle = reduce_large_angle(static_cast<double>(magnitude(x)));
  ++angle.quadrant;
  return static_cast<E>(sine_of(angle));
}

template <class E>
RONDO_SLOW E large_tangent(E x) {
  if (!(magnitude(x) < kInfinity<E>)) {
    return kNan<E>;
  }
  const double result = tangent_of(reduce_large_angle(static_cast<double>(magnitude(x))));
  return static_cast<E>(x < 0 ? -result : result);
}

/// Where three parts of pi / 2 are enough; not infinities and NaN.
struct Trigonometric {
  template <class L>
  RONDO_FUNCTION Mask<L> in_range(L x) {
    return magnitude(x) <= kLargeAngle<L>;
  }
};

struct Sin : Trigonometric {
  template <class L>
  RONDO_FUNCTION L fast(L x) {
    return __builtin_bit_cast(L, bits(sine_of(reduce_angle(magnitude(x)))) ^ sign_bit(x));
  }
  template <class E>
  RONDO_FUNCTION E slow(E x) {
    return large_sine(x);
  }
};

struct Cos : Trigonometric {
  template <class L>
  RONDO_FUNCTION L fast(L x) {
    Angle<L> angle = reduce_angle(magnitude(x));
    angle.quadrant = angle.quadrant + 1;
    return sine_of(angle);
  }
  template <class E>
  RONDO_FUNCTION E slow(E x) {
    return large_cosine(x);
  }
};

struct Tan : Trigonometric {
  template <class L>
  RONDO_FUNCTION L fast(L x) {
    return __builtin_bit_cast(L, bits(tangent_of(reduce_angle(magnitude(x)))) ^ sign_bit(x));
  }
  template <class E>
  RONDO_FUNCTION E slow(E x) {
    return large_tangent(x);
  }
};

template <class L>
RONDO_FUNCTION L sin(L x) {
  return with_repair<Sin>(x);
}

template <class L>
RONDO_FUNCTION L cos(L x) {
  return with_repair<Cos>(x);
}

template <class L>
RONDO_FUNCTION L tan(L x) {
  return with_repair<Tan>(x);
}

}  // namespace rondo::codegen::inline RONDO_ISA::scalar
