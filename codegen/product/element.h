// Element types of products: 16-bit floats are widened as they are packed and rounded as they are
// stored.
#pragma once

#include <immintrin.h>

#include <cstdint>
#include <cstring>

#include "codegen/product/simd.h"
#include "core/tensor/dtype.h"

namespace rondo::codegen::RONDO_ISA {

struct Half {
  std::uint16_t bits;
};
struct Bfloat {
  std::uint16_t bits;
};

/// What elements of type E are multiplied and added in.
template <class E>
struct ComputeType {
  using Type = float;
};
template <>
struct ComputeType<double> {
  using Type = double;
};
template <class E>
using Compute = typename ComputeType<E>::Type;

/// What `f` gives for the element type of a floating dtype.
template <class Function>
decltype(auto) with_element_type(Dtype dtype, Function f) {
  switch (dtype) {
    case Dtype::float16:
      return f.template operator()<Half>();
    case Dtype::bfloat16:
      return f.template operator()<Bfloat>();
    case Dtype::float64:
      return f.template operator()<double>();
    default:
      return f.template operator()<float>();
  }
}

inline float widen(float x) {
  return x;
}
inline double widen(double x) {
  return x;
}
inline float widen(Half x) {
  return _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(x.bits)));
}
inline float widen(Bfloat x) {
  const std::uint32_t bits = static_cast<std::uint32_t>(x.bits) << 16;
  float value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

inline __m256 widen8(const float* p) {
  return _mm256_loadu_ps(p);
}
inline __m256 widen8(const Half* p) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(p)));
}
inline __m256 widen8(const Bfloat* p) {
  const __m128i bits = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(bits), 16));
}

/// Eight floats rounded to the nearest 16-bit value, ties to even.
inline __m128i round8(__m256 x, Half) {
  return _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
inline __m128i round8(__m256 x, Bfloat) {
  const __m256i bits = _mm256_castps_si256(x);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  const __m256i rounded = _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7FFF)));
  const __m256i quiet = _mm256_set1_epi32(0x7FC00000);
  const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q));
  const __m256i chosen = _mm256_srli_epi32(_mm256_blendv_epi8(rounded, quiet, nan), 16);
  const __m256i packed = _mm256_packus_epi32(chosen, chosen);
  return _mm256_castsi256_si128(_mm256_permute4x64_epi64(packed, 0x08));
}

/// Stores the row of `count` floats, rounded.
template <class E>
void round_row(const float* from, E* to, Index count) {
  Index i = 0;
  for (; i + 8 <= count; i += 8) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), round8(_mm256_loadu_ps(from + i), E{}));
  }
  for (; i < count; ++i) {
    const __m128i low = round8(_mm256_set1_ps(from[i]), E{});
    to[i].bits = static_cast<std::uint16_t>(_mm_cvtsi128_si32(low));
  }
}

}  // namespace rondo::codegen::RONDO_ISA
