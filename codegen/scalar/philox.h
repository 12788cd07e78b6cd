// Random numbers by Philox 4x32-10 (Salmon et al. 2011): functions of seed, offset and index alone.
#pragma once

#include "codegen/scalar/arithmetic.h"
#include "codegen/scalar/convert.h"
#include "codegen/scalar/lanes.h"
#include "codegen/scalar/logarithm.h"
#include "codegen/scalar/precise.h"
#include "codegen/scalar/trigonometric.h"

namespace rondo::codegen::inline RONDO_ISA::scalar {

/// Four words of 32 bits; each stands in the low half of a 64-bit lane, over anything.
template <class W>
struct Words {
  W at0;
  W at1;
  W at2;
  W at3;
};

/// What a round multiplies by, and what keys grow by.
template <class W>
struct PhiloxConstants {
  W factor0 = W{} + 0xD2511F53U;
  W factor1 = W{} + 0xCD9E8D57U;
  W step0 = W{} + 0x9E3779B9U;
  W step1 = W{} + 0xBB67AE85U;
};

/// The product of the low halves of lanes. Block loops replace it by an instruction.
struct LowProduct {
  template <class W>
  RONDO_FUNCTION W of(W x, W factor) {
    return (x & 0xFFFFFFFFU) * factor;
  }
};

/// Written as a recursion, for vectorisers want no loop here.
template <class Product, int Rounds, class W>
RONDO_FUNCTION Words<W> philox_rounds(const PhiloxConstants<W>& k, Words<W> counter, W key0,
                                      W key1) {
  const W first = Product::of(counter.at0, k.factor0);
  const W second = Product::of(counter.at2, k.factor1);
  const Words<W> next{(second >> 32) ^ counter.at1 ^ key0, second,
                      (first >> 32) ^ counter.at3 ^ key1, first};
  if constexpr (Rounds == 1) {
    return next;
  } else {
    return philox_rounds<Product, Rounds - 1>(k, next, key0 + k.step0, key1 + k.step1);
  }
}

template <class Product = LowProduct, class W>
RONDO_FUNCTION Words<W> philox(W seed, W offset, W index, const PhiloxConstants<W>& k = {}) {
  const Words<W> counter{index, index >> 32, offset, offset >> 32};
  return philox_rounds<Product, 10>(k, counter, seed, seed >> 32);
}

/// The 24 high bits of a word, in [0, 1).
template <class W>
RONDO_FUNCTION With<W, float> unit_float(W word) {
  return convert<float>(convert<std::int32_t>((word >> 8) & 0xFFFFFFU)) * 0x1p-24F;
}

/// The 53 high bits of two words, in [0, 1).
template <class W>
RONDO_FUNCTION With<W, double> unit_double(W high, W low) {
  return to_f64(bits(((high << 32) | (low & 0xFFFFFFFFU)) >> 11)) * 0x1p-53;
}

/// cos(2 pi u) for u in [0, 1): quarter turns come off exactly.
template <class L>
RONDO_FUNCTION L cosine_of_turns(L u) {
  using E = Element<L>;
  constexpr E kShift = kFloat<L> ? E(0x1.8p23) : E(0x1.8p52);
  const L quarters = u * 4;
  const L sum = quarters + kShift;
  const L rest = quarters - (sum - kShift);
  Pair<L> r = exact_product(rest, splat<L>(half_pi<L>(0)));
  r.lo = multiply_add(rest, splat<L>(half_pi<L>(1)), r.lo);
  return sine_of(Angle<L>{r, bits(sum) + 1});
}

/// Box and Muller's cosine branch; the radius is that of 1 - u, which is never 0.
template <class L>
RONDO_FUNCTION L normal_from(L radius, L angle) {
  return square_root(log(1 - radius) * -2) * cosine_of_turns(angle);
}

/// The random operations, from the words of their elements.
struct RandomI32 {
  template <class W>
  RONDO_FUNCTION With<W, std::int32_t> of(Words<W> words) {
    return convert<std::int32_t>(bits(words.at0));
  }
};
struct UniformF32 {
  template <class W>
  RONDO_FUNCTION With<W, float> of(Words<W> words) {
    return unit_float(words.at0);
  }
};
struct UniformF64 {
  template <class W>
  RONDO_FUNCTION With<W, double> of(Words<W> words) {
    return unit_double(words.at1, words.at0);
  }
};
struct NormalF32 {
  template <class W>
  RONDO_FUNCTION With<W, float> of(Words<W> words) {
    return normal_from(unit_float(words.at0), unit_float(words.at1));
  }
};
struct NormalF64 {
  template <class W>
  RONDO_FUNCTION With<W, double> of(Words<W> words) {
    return normal_from(unit_double(words.at1, words.at0), unit_double(words.at3, words.at2));
  }
};

/// An operation of int64 lanes.
template <class Operation, class L>
RONDO_FUNCTION auto random_of(L seed, L offset, L index) {
  return Operation::of(philox(as_unsigned(seed), as_unsigned(offset), as_unsigned(index)));
}

template <class L>
RONDO_FUNCTION With<L, std::int32_t> random_i32(L seed, L offset, L index) {
  return random_of<RandomI32>(seed, offset, index);
}

template <class L>
RONDO_FUNCTION With<L, float> uniform_f32(L seed, L offset, L index) {
  return random_of<UniformF32>(seed, offset, index);
}

template <class L>
RONDO_FUNCTION With<L, double> uniform_f64(L seed, L offset, L index) {
  return random_of<UniformF64>(seed, offset, index);
}

template <class L>
RONDO_FUNCTION With<L, float> normal_f32(L seed, L offset, L index) {
  return random_of<NormalF32>(seed, offset, index);
}

template <class L>
RONDO_FUNCTION With<L, double> normal_f64(L seed, L offset, L index) {
  return random_of<NormalF64>(seed, offset, index);
}

}  // namespace rondo::codegen::inline RONDO_ISA::scalar
