// Sixteen lanes as vectors of the level that is compiled for; for sources of rondo_isa_sources
// only.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

#include "codegen/canonical_order.h"

namespace rondo::codegen::interpreter::RONDO_ISA {

inline constexpr int kLanes = kReduceLanes;
#ifdef RONDO_ISA_v4
inline constexpr std::int64_t kVectorBytes = 64;
#else
inline constexpr std::int64_t kVectorBytes = 32;
#endif

template <class T>
struct VectorTypes {
  using Int = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
  typedef T Value __attribute__((vector_size(kVectorBytes)));
  typedef T Unaligned __attribute__((vector_size(kVectorBytes), aligned(4), may_alias));
  typedef Int Mask __attribute__((vector_size(kVectorBytes)));
  typedef Int UnalignedMask __attribute__((vector_size(kVectorBytes), aligned(4), may_alias));
};
template <class T>
using Vector = typename VectorTypes<T>::Value;
template <class T>
using Mask = typename VectorTypes<T>::Mask;
template <class T>
using Int = typename VectorTypes<T>::Int;

template <class T>
struct Lanes {
  static constexpr int kPerVector = static_cast<int>(kVectorBytes / sizeof(T));
  static constexpr int kVectors = kLanes / kPerVector;
  Vector<T> v[kVectors];
};

template <class T>
inline Lanes<T> splat(T value) {
  Lanes<T> out;
  for (int k = 0; k < Lanes<T>::kVectors; ++k) {
    out.v[k] = value - Vector<T>{};
  }
  return out;
}

template <class T>
inline Lanes<T> load(const std::byte* memory) {
  Lanes<T> out;
  for (int k = 0; k < Lanes<T>::kVectors; ++k) {
    out.v[k] =
        *reinterpret_cast<const typename VectorTypes<T>::Unaligned*>(memory + k * kVectorBytes);
  }
  return out;
}

template <class T>
inline void store(const Lanes<T>& lanes, std::byte* memory) {
  for (int k = 0; k < Lanes<T>::kVectors; ++k) {
    *reinterpret_cast<typename VectorTypes<T>::Unaligned*>(memory + k * kVectorBytes) = lanes.v[k];
  }
}

/// The value that every other one is above, or if Least below: where a maximum or minimum begins.
template <class T, bool Least>
constexpr T extreme_identity() {
  using Limits = std::numeric_limits<T>;
  if constexpr (Limits::has_infinity) {
    return Least ? Limits::infinity() : -Limits::infinity();
  } else {
    return Least ? Limits::max() : Limits::min();
  }
}

/// Ones, then zeros: the mask of the first n lanes is read at 16 - n.
template <class I>
struct MaskTable {
  I entry[2 * kLanes];
  constexpr MaskTable() : entry() {
    for (int i = 0; i < kLanes; ++i) {
      entry[i] = -1;
      entry[kLanes + i] = 0;
    }
  }
};
template <class I>
inline constexpr MaskTable<I> kMaskTable;

template <class T>
struct LaneMask {
  Mask<T> v[Lanes<T>::kVectors];
};

template <class T>
inline LaneMask<T> first_lanes(std::int64_t n) {
  LaneMask<T> out;
  const Int<T>* table = kMaskTable<Int<T>>.entry + kLanes - n;
  for (int k = 0; k < Lanes<T>::kVectors; ++k) {
    out.v[k] = *reinterpret_cast<const typename VectorTypes<T>::UnalignedMask*>(
        table + k * Lanes<T>::kPerVector);
  }
  return out;
}

template <class T>
inline Vector<T> masked_load(const std::byte* memory, Mask<T> mask) {
#ifdef RONDO_ISA_v4
  if constexpr (sizeof(T) == 4) {
    const __mmask16 m = _mm512_movepi32_mask(reinterpret_cast<__m512i>(mask));
    return reinterpret_cast<Vector<T>>(_mm512_maskz_loadu_epi32(m, memory));
  } else {
    const __mmask8 m = _mm512_movepi64_mask(reinterpret_cast<__m512i>(mask));
    return reinterpret_cast<Vector<T>>(_mm512_maskz_loadu_epi64(m, memory));
  }
#else
  const auto m = reinterpret_cast<__m256i>(mask);
  if constexpr (sizeof(T) == 4) {
    return reinterpret_cast<Vector<T>>(
        _mm256_maskload_epi32(reinterpret_cast<const int*>(memory), m));
  } else {
    return reinterpret_cast<Vector<T>>(
        _mm256_maskload_epi64(reinterpret_cast<const long long*>(memory), m));
  }
#endif
}

/// The lanes of the mask, 0 in the others, reading nothing beyond.
template <class T>
inline Lanes<T> masked_load(const std::byte* memory, const LaneMask<T>& mask) {
  Lanes<T> out;
  for (int k = 0; k < Lanes<T>::kVectors; ++k) {
    out.v[k] = masked_load<T>(memory + k * kVectorBytes, mask.v[k]);
  }
  return out;
}

/// Lane l gets lane l + Distance, within one vector.
template <int Distance, class T>
inline Vector<T> shifted(Vector<T> v) {
  constexpr int kCount = Lanes<T>::kPerVector;
  return [v]<int... L>(std::integer_sequence<int, L...>) {
    return __builtin_shufflevector(v, v, ((L + Distance) % kCount)...);
  }(std::make_integer_sequence<int, kCount>());
}

/// Combines the lanes in the canonical tree: l with l + 8, + 4, + 2, + 1.
template <class Fold, class T>
inline T tree(const Lanes<T>& lanes) {
  Vector<T> v[Lanes<T>::kVectors];
  for (int k = 0; k < Lanes<T>::kVectors; ++k) {
    v[k] = lanes.v[k];
  }
  for (int half = Lanes<T>::kVectors / 2; half >= 1; half /= 2) {
    for (int k = 0; k < half; ++k) {
      v[k] = Fold::combine(v[k], v[k + half]);
    }
  }
  if constexpr (Lanes<T>::kPerVector >= 16) {
    v[0] = Fold::combine(v[0], shifted<8, T>(v[0]));
  }
  if constexpr (Lanes<T>::kPerVector >= 8) {
    v[0] = Fold::combine(v[0], shifted<4, T>(v[0]));
  }
  v[0] = Fold::combine(v[0], shifted<2, T>(v[0]));
  v[0] = Fold::combine(v[0], shifted<1, T>(v[0]));
  return v[0][0];
}

inline Vector<float> fused(Vector<float> a, Vector<float> b, Vector<float> c) {
#ifdef RONDO_ISA_v4
  return _mm512_fmadd_ps(a, b, c);
#else
  return _mm256_fmadd_ps(a, b, c);
#endif
}
inline Vector<double> fused(Vector<double> a, Vector<double> b, Vector<double> c) {
#ifdef RONDO_ISA_v4
  return _mm512_fmadd_pd(a, b, c);
#else
  return _mm256_fmadd_pd(a, b, c);
#endif
}
inline float fused(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
inline double fused(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

}  // namespace rondo::codegen::interpreter::RONDO_ISA
