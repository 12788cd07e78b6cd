// The few vector operations that the product's kernels are written in, for the level being
// compiled.
#pragma once

#include <immintrin.h>

#include <cstdint>

namespace rondo::codegen::RONDO_ISA {

using Index = std::int64_t;

/// Vectors of T: kWidth lanes, kCount registers. The masked forms touch the first lanes only.
template <class T>
struct Simd;

#if defined(RONDO_ISA_v4) && !defined(RONDO_EMULATED_SIMD)

template <>
struct Simd<float> {
  static constexpr int kWidth = 16;
  static constexpr int kRegisters = 32;
  using Vector = __m512;
  using Mask = __mmask16;
  static Mask mask(Index lanes) { return static_cast<Mask>((1U << lanes) - 1U); }
  static Vector zero() { return _mm512_setzero_ps(); }
  static Vector broadcast(float x) { return _mm512_set1_ps(x); }
  static Vector load(const float* p) { return _mm512_loadu_ps(p); }
  static Vector load(const float* p, Mask m) { return _mm512_maskz_loadu_ps(m, p); }
  static void store(float* p, Vector v) { _mm512_storeu_ps(p, v); }
  static void store(float* p, Vector v, Mask m) { _mm512_mask_storeu_ps(p, m, v); }
  static Vector add(Vector a, Vector b) { return _mm512_add_ps(a, b); }
  static Vector fma(Vector a, Vector b, Vector c) { return _mm512_fmadd_ps(a, b, c); }
  static Vector select(Mask m, Vector a, Vector b) { return _mm512_mask_blend_ps(m, b, a); }
};

template <>
struct Simd<double> {
  static constexpr int kWidth = 8;
  static constexpr int kRegisters = 32;
  using Vector = __m512d;
  using Mask = __mmask8;
  static Mask mask(Index lanes) { return static_cast<Mask>((1U << lanes) - 1U); }
  static Vector zero() { return _mm512_setzero_pd(); }
  static Vector broadcast(double x) { return _mm512_set1_pd(x); }
  static Vector load(const double* p) { return _mm512_loadu_pd(p); }
  static Vector load(const double* p, Mask m) { return _mm512_maskz_loadu_pd(m, p); }
  static void store(double* p, Vector v) { _mm512_storeu_pd(p, v); }
  static void store(double* p, Vector v, Mask m) { _mm512_mask_storeu_pd(p, m, v); }
  static Vector add(Vector a, Vector b) { return _mm512_add_pd(a, b); }
  static Vector fma(Vector a, Vector b, Vector c) { return _mm512_fmadd_pd(a, b, c); }
  static Vector select(Mask m, Vector a, Vector b) { return _mm512_mask_blend_pd(m, b, a); }
};

#else

struct Avx2Float {
  static constexpr int kWidth = 8;
  static constexpr int kRegisters = 16;
  using Vector = __m256;
  using Mask = __m256i;
  static Mask mask(Index lanes) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(lanes)),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static Vector zero() { return _mm256_setzero_ps(); }
  static Vector broadcast(float x) { return _mm256_set1_ps(x); }
  static Vector load(const float* p) { return _mm256_loadu_ps(p); }
  static Vector load(const float* p, Mask m) { return _mm256_maskload_ps(p, m); }
  static void store(float* p, Vector v) { _mm256_storeu_ps(p, v); }
  static void store(float* p, Vector v, Mask m) { _mm256_maskstore_ps(p, m, v); }
  static Vector add(Vector a, Vector b) { return _mm256_add_ps(a, b); }
  static Vector fma(Vector a, Vector b, Vector c) { return _mm256_fmadd_ps(a, b, c); }
  static Vector select(Mask m, Vector a, Vector b) {
    return _mm256_blendv_ps(b, a, _mm256_castsi256_ps(m));
  }
};

struct Avx2Double {
  static constexpr int kWidth = 4;
  static constexpr int kRegisters = 16;
  using Vector = __m256d;
  using Mask = __m256i;
  static Mask mask(Index lanes) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(lanes), _mm256_setr_epi64x(0, 1, 2, 3));
  }
  static Vector zero() { return _mm256_setzero_pd(); }
  static Vector broadcast(double x) { return _mm256_set1_pd(x); }
  static Vector load(const double* p) { return _mm256_loadu_pd(p); }
  static Vector load(const double* p, Mask m) { return _mm256_maskload_pd(p, m); }
  static void store(double* p, Vector v) { _mm256_storeu_pd(p, v); }
  static void store(double* p, Vector v, Mask m) { _mm256_maskstore_pd(p, m, v); }
  static Vector add(Vector a, Vector b) { return _mm256_add_pd(a, b); }
  static Vector fma(Vector a, Vector b, Vector c) { return _mm256_fmadd_pd(a, b, c); }
  static Vector select(Mask m, Vector a, Vector b) {
    return _mm256_blendv_pd(b, a, _mm256_castsi256_pd(m));
  }
};

#if !defined(RONDO_EMULATED_SIMD)
template <>
struct Simd<float> : Avx2Float {};
template <>
struct Simd<double> : Avx2Double {};
#endif

#endif

}  // namespace rondo::codegen::RONDO_ISA

#if defined(RONDO_EMULATED_SIMD)
#include RONDO_EMULATED_SIMD  // tests run the tiles of v4 on any machine
#endif
