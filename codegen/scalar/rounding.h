// Rounding to integers and to the values of narrower dtypes.
#pragma once

#include "codegen/scalar/lanes.h"

namespace rondo::codegen::inline RONDO_ISA::scalar {

template <class L>
RONDO_FUNCTION L floor(L x) {
  return round_down(x);
}

template <class L>
RONDO_FUNCTION L ceil(L x) {
  return round_up(x);
}

template <class L>
RONDO_FUNCTION L trunc(L x) {
  return round_to_zero(x);
}

template <class L>
RONDO_FUNCTION L round_half_even(L x) {
  return round_to_even(x);
}

template <class L>
RONDO_FUNCTION L round_bool(L x) {
  return choose<L>(x != 0, splat<L>(1), splat<L>(0));
}

template <class L>
RONDO_FUNCTION L round_u8(L x) {
  return x & 0xFF;
}

template <class L>
RONDO_FUNCTION L round_i8(L x) {
  return ((x & 0xFF) ^ 0x80) - 0x80;
}

template <class L>
RONDO_FUNCTION L round_i16(L x) {
  return ((x & 0xFFFF) ^ 0x8000) - 0x8000;
}

/// Normal numbers are rounded in their bits. Below 2^-14 the spacing is 2^-24, which is that of
/// float32 around one half.
template <class L>
RONDO_FUNCTION L round_f16(L x) {
  using Bits = Unsigned<L>;
  const Bits all = __builtin_bit_cast(Bits, x);
  const Bits sign = all & 0x80000000U;
  const Bits size = all ^ sign;
  const L positive = __builtin_bit_cast(L, size);
  const Bits odd = (size >> 13) & 1U;
  const L normal = __builtin_bit_cast(L, (size + 0xFFFU + odd) & 0xFFFFE000U);
  const L small = (positive + 0.5F) - 0.5F;
  L result = choose<L>(positive < 0x1p-14F, small, normal);
  result = choose<L>(positive >= 65520.0F, splat<L>(kInfinity<L>), result);
  result = choose<L>(x != x, x, result);
  return __builtin_bit_cast(L, __builtin_bit_cast(Bits, result) | sign);
}

/// A NaN is made quiet, so that its upper half is one too.
template <class L>
RONDO_FUNCTION L round_bf16(L x) {
  using Bits = Unsigned<L>;
  const Bits all = __builtin_bit_cast(Bits, x);
  const Bits odd = (all >> 16) & 1U;
  const Bits rounded = all + 0x7FFFU + odd;
  const Bits result = choose<Bits>(x != x, all | 0x400000U, rounded);
  return __builtin_bit_cast(L, result & 0xFFFF0000U);
}

}  // namespace rondo::codegen::inline RONDO_ISA::scalar
