// Conversions between the register classes. All are total.
#pragma once

#include "codegen/scalar/lanes.h"

namespace rondo::codegen::inline RONDO_ISA::scalar {

/// Floats truncated to signed integers I; NaN and what is out of range give the least value.
template <class I, class L>
RONDO_FUNCTION With<L, I> truncate_to(L x) {
  constexpr auto kEnd = static_cast<Element<L>>(sizeof(I) == 4 ? 0x1p31 : 0x1p63);
  constexpr auto kLeast = static_cast<I>(I{1} << (8 * sizeof(I) - 1));
  const Mask<L> fits = (x < kEnd) & (x >= -kEnd);
  const With<L, I> result = convert<I>(choose<L>(fits, x, splat<L>(0)));
  return choose<With<L, I>>(mask_of<With<L, I>>(flag_of<L>(fits)), result,
                            splat<With<L, I>>(kLeast));
}

template <class L>
RONDO_FUNCTION With<L, std::int32_t> to_i32(L x) {
  if constexpr (kFloating<L>) {
    return truncate_to<std::int32_t>(x);
  } else {
    return convert<std::int32_t>(x);
  }
}

template <class L>
RONDO_FUNCTION With<L, std::int64_t> to_i64(L x) {
  if constexpr (kFloating<L>) {
    return truncate_to<std::int64_t>(x);
  } else {
    return convert<std::int64_t>(x);
  }
}

template <class L>
RONDO_FUNCTION With<L, float> to_f32(L x) {
  return convert<float>(x);
}

/// int64 goes through its halves, for AVX2 has no such conversion: 2^52 + low and
/// 2^84 + 2^63 + 2^32 * high are made in their bits, and only the last addition rounds.
template <class L>
RONDO_FUNCTION With<L, double> to_f64(L x) {
  if constexpr (kFloating<L> || kBits<L> == 32) {
    return convert<double>(x);
  } else {
    const Unsigned<L> all = __builtin_bit_cast(Unsigned<L>, x);
    const auto low = bit_cast<double>((all & 0xFFFFFFFFU) | 0x4330000000000000U);
    const auto high = bit_cast<double>((all >> 32) ^ 0x4530000080000000U);
    return (high - (0x1p84 + 0x1p63 + 0x1p52)) + low;
  }
}

}  // namespace rondo::codegen::inline RONDO_ISA::scalar
