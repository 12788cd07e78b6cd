// The lanes that scalar functions compute on: one number (also on a GPU), or a clang vector of 16.
#pragma once

#include <cstdint>

/// The namespace that keeps the copies compiled at different vector levels apart.
#ifndef RONDO_ISA
#define RONDO_ISA portable
#endif

/// RONDO_FUNCTION begins the definition of every function on lanes, RONDO_SLOW that of a function
/// for rare and costly values, on single numbers.
#ifdef __CUDACC__
#define RONDO_FUNCTION __device__ __forceinline__ static
#define RONDO_SLOW __device__ __noinline__ static
#else
#define RONDO_FUNCTION [[gnu::always_inline]] static inline
#define RONDO_SLOW [[gnu::noinline]] static inline
#endif

namespace rondo::codegen::inline RONDO_ISA {

inline constexpr int kLanes = 16;

namespace detail {

template <int Bytes>
struct IntegersOf;
template <>
struct IntegersOf<4> {
  using Signed = std::int32_t;
  using Unsigned = std::uint32_t;
};
template <>
struct IntegersOf<8> {
  using Signed = std::int64_t;
  using Unsigned = std::uint64_t;
};

template <class L>
struct Lanes {
  using Element = L;
  template <class E>
  using With = E;
  using Mask = bool;
  static constexpr bool kVector = false;
};

#ifdef __clang__
template <class E>
using Vector = E __attribute__((ext_vector_type(kLanes)));

template <class E>
struct Lanes<Vector<E>> {
  using Element = E;
  template <class E2>
  using With = Vector<E2>;
  using Mask = Vector<typename IntegersOf<sizeof(E)>::Signed>;
  static constexpr bool kVector = true;
};
#endif

template <class E>
inline constexpr bool kIsFloating = false;
template <>
inline constexpr bool kIsFloating<float> = true;
template <>
inline constexpr bool kIsFloating<double> = true;

}  // namespace detail

/// The type of one lane of L.
template <class L>
using Element = typename detail::Lanes<L>::Element;

/// As many lanes as L has, of elements E.
template <class L, class E>
using With = typename detail::Lanes<L>::template With<E>;

/// What a comparison of L gives: bool, or a vector of integers as wide as the elements, 0 or -1.
/// Masks are combined with & and |.
template <class L>
using Mask = typename detail::Lanes<L>::Mask;

/// Integers as wide as the elements of L.
template <class L>
using Signed = With<L, typename detail::IntegersOf<sizeof(Element<L>)>::Signed>;
template <class L>
using Unsigned = With<L, typename detail::IntegersOf<sizeof(Element<L>)>::Unsigned>;

template <class L>
inline constexpr bool kVector = detail::Lanes<L>::kVector;
template <class L>
inline constexpr bool kFloating = detail::kIsFloating<Element<L>>;
template <class L>
inline constexpr bool kFloat = sizeof(Element<L>) == 4 && kFloating<L>;
template <class L>
inline constexpr bool kDouble = sizeof(Element<L>) == 8 && kFloating<L>;
template <class L>
inline constexpr int kBits = 8 * static_cast<int>(sizeof(Element<L>));

template <class L>
inline constexpr Element<L> kInfinity = static_cast<Element<L>>(__builtin_inf());
template <class L>
inline constexpr Element<L> kEpsilon =
    static_cast<Element<L>>(sizeof(Element<L>) == 4 ? 0x1p-23 : 0x1p-52);
template <class L>
inline constexpr Element<L> kNan = static_cast<Element<L>>(__builtin_nan(""));

/// The same value in every lane.
template <class L>
RONDO_FUNCTION L splat(Element<L> value) {
  return static_cast<L>(value);
}

/// Lanes of another element type with the same bits; both types have one size.
template <class E, class L>
RONDO_FUNCTION With<L, E> bit_cast(L x) {
  return __builtin_bit_cast(With<L, E>, x);
}
template <class L>
RONDO_FUNCTION Signed<L> bits(L x) {
  return __builtin_bit_cast(Signed<L>, x);
}

/// Lanes of another element type with the same values, as static_cast converts them.
template <class E, class L>
RONDO_FUNCTION With<L, E> convert(L x) {
  if constexpr (kVector<L>) {
    return __builtin_convertvector(x, With<L, E>);
  } else {
    return static_cast<E>(x);
  }
}

/// a where the mask holds, b elsewhere. Both are computed.
template <class L>
RONDO_FUNCTION L choose(Mask<L> mask, L a, L b) {
  return mask ? a : b;
}

/// The mask of lanes of another width: 0 or 1 in i32 from and to a mask.
template <class L>
RONDO_FUNCTION With<L, std::int32_t> flag_of(Mask<L> mask) {
  if constexpr (kVector<L>) {
    return convert<std::int32_t>(mask) & 1;
  } else {
    return mask ? 1 : 0;
  }
}
template <class L>
RONDO_FUNCTION Mask<L> mask_of(With<L, std::int32_t> flag) {
  if constexpr (kVector<L>) {
    return __builtin_convertvector(flag != 0, Mask<L>);
  } else {
    return flag != 0;
  }
}

/// Exactly rounded operations of IEEE 754; to_even rounds to the nearest integer.
#define RONDO_LANE_FUNCTION(name, scalar_builtin, vector_builtin) \
  template <class L>                                              \
  RONDO_FUNCTION L name(L x) {                                    \
    if constexpr (kVector<L>) {                                   \
      return vector_builtin(x);                                   \
    } else if constexpr (sizeof(L) == 4) {                        \
      return scalar_builtin##f(x);                                \
    } else {                                                      \
      return scalar_builtin(x);                                   \
    }                                                             \
  }
RONDO_LANE_FUNCTION(square_root, __builtin_sqrt, __builtin_elementwise_sqrt)
RONDO_LANE_FUNCTION(round_down, __builtin_floor, __builtin_elementwise_floor)
RONDO_LANE_FUNCTION(round_up, __builtin_ceil, __builtin_elementwise_ceil)
RONDO_LANE_FUNCTION(round_to_zero, __builtin_trunc, __builtin_elementwise_trunc)
RONDO_LANE_FUNCTION(round_to_even, __builtin_nearbyint, __builtin_elementwise_roundeven)
RONDO_LANE_FUNCTION(magnitude, __builtin_fabs, __builtin_elementwise_abs)
#undef RONDO_LANE_FUNCTION

/// The bits of x but its sign set to 0.
template <class L>
RONDO_FUNCTION Signed<L> sign_bit(L x) {
  using I = Element<Signed<L>>;
  constexpr I kSign = static_cast<I>(I{1} << (kBits<L> - 1));
  return bits(x) & kSign;
}

/// |x| with the sign of y.
template <class L>
RONDO_FUNCTION L copy_sign(L x, L y) {
  return __builtin_bit_cast(L, bits(magnitude(x)) | sign_bit(y));
}

/// a * b + c, rounded once.
template <class L>
RONDO_FUNCTION L multiply_add(L a, L b, L c) {
  if constexpr (kVector<L>) {
    return __builtin_elementwise_fma(a, b, c);
  } else if constexpr (sizeof(L) == 4) {
    return __builtin_fmaf(a, b, c);
  } else {
    return __builtin_fma(a, b, c);
  }
}

/// A function with a rare costly range: Parts::fast where Parts::in_range holds, else Parts::slow,
/// which takes single numbers and may branch. Block loops use the parts themselves.
template <class Parts, class... L>
RONDO_FUNCTION auto with_repair(L... x) {
  const auto good = Parts::in_range(x...);
  if constexpr ((... && kVector<L>)) {
    auto result = Parts::fast(x...);
    if (!__builtin_reduce_and(good)) [[unlikely]] {
      for (int i = 0; i < kLanes; ++i) {
        if (!good[i]) {
          result[i] = Parts::slow(x[i]...);
        }
      }
    }
    return result;
  } else {
    return good ? Parts::fast(x...) : Parts::slow(x...);
  }
}

}  // namespace rondo::codegen::inline RONDO_ISA
