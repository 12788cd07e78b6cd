// Packing of operands: packed[p * stride + i] = widened source(i, p), so that kernels read them in
// order.
#pragma once

#include "codegen/product/element.h"

namespace rondo::codegen::RONDO_ISA {

/// Eight rows of eight floats become eight columns.
inline void transpose8(const __m256 (&in)[8], __m256 (&out)[8]) {
  __m256 pairs[8];
  for (int i = 0; i < 8; i += 2) {
    pairs[i] = _mm256_unpacklo_ps(in[i], in[i + 1]);
    pairs[i + 1] = _mm256_unpackhi_ps(in[i], in[i + 1]);
  }
  __m256 quads[8];
  for (int i = 0; i < 8; i += 4) {
    quads[i] = _mm256_shuffle_ps(pairs[i], pairs[i + 2], 0x44);
    quads[i + 1] = _mm256_shuffle_ps(pairs[i], pairs[i + 2], 0xEE);
    quads[i + 2] = _mm256_shuffle_ps(pairs[i + 1], pairs[i + 3], 0x44);
    quads[i + 3] = _mm256_shuffle_ps(pairs[i + 1], pairs[i + 3], 0xEE);
  }
  for (int i = 0; i < 4; ++i) {
    out[i] = _mm256_permute2f128_ps(quads[i], quads[i + 4], 0x20);
    out[i + 4] = _mm256_permute2f128_ps(quads[i], quads[i + 4], 0x31);
  }
}

/// Four rows of four doubles become four columns.
inline void transpose4(const __m256d (&in)[4], __m256d (&out)[4]) {
  const __m256d low01 = _mm256_unpacklo_pd(in[0], in[1]);
  const __m256d high01 = _mm256_unpackhi_pd(in[0], in[1]);
  const __m256d low23 = _mm256_unpacklo_pd(in[2], in[3]);
  const __m256d high23 = _mm256_unpackhi_pd(in[2], in[3]);
  out[0] = _mm256_permute2f128_pd(low01, low23, 0x20);
  out[1] = _mm256_permute2f128_pd(high01, high23, 0x20);
  out[2] = _mm256_permute2f128_pd(low01, low23, 0x31);
  out[3] = _mm256_permute2f128_pd(high01, high23, 0x31);
}

/// The side of the square that is transposed in registers.
template <class T>
inline constexpr Index kSquare = sizeof(T) == 4 ? 8 : 4;

/// packed[p * packed_stride + i] = source[i * source_stride + p] for i < rows <= the square's side,
/// p < side. Whole vectors are stored: up to side - rows elements after each column are
/// overwritten.
template <class E>
[[gnu::always_inline]] inline void transpose_square(const E* source, Index source_stride,
                                                    Index rows, float* packed,
                                                    Index packed_stride) {
  __m256 in[8];
  __m256 out[8];
  for (Index i = 0; i < 8; ++i) {
    in[i] = i < rows ? widen8(source + i * source_stride) : _mm256_setzero_ps();
  }
  transpose8(in, out);
  for (Index p = 0; p < 8; ++p) {
    _mm256_storeu_ps(packed + p * packed_stride, out[p]);
  }
}
[[gnu::always_inline]] inline void transpose_square(const double* source, Index source_stride,
                                                    Index rows, double* packed,
                                                    Index packed_stride) {
  __m256d in[4];
  __m256d out[4];
  for (Index i = 0; i < 4; ++i) {
    in[i] = i < rows ? _mm256_loadu_pd(source + i * source_stride) : _mm256_setzero_pd();
  }
  transpose4(in, out);
  for (Index p = 0; p < 4; ++p) {
    _mm256_storeu_pd(packed + p * packed_stride, out[p]);
  }
}

/// An operand seen from one side: source(i, p) stands at i * i_stride + p * k_stride.
template <class E>
struct PackSource {
  const E* data = nullptr;
  Index i_stride = 0;
  Index k_stride = 0;
};

/// Packs rows that are contiguous along k, a square at a time, eight (or four) rows after the
/// other: rows a power of two apart fall into the same few places of the cache, and more would not
/// fit. The last columns are packed twice. A partly filled square comes before the others and its
/// columns are stored in rising order, so that what it writes too much is written again; packed
/// needs kSquare of slack.
template <class E, class T>
void pack_along_k(const PackSource<E>& source, Index rows, Index k, T* packed,
                  Index packed_stride) {
  constexpr Index kSide = kSquare<T>;
  if (k < kSide) {
    for (Index p = 0; p < k; ++p) {
      for (Index i = 0; i < rows; ++i) {
        packed[p * packed_stride + i] = widen(source.data[i * source.i_stride + p]);
      }
    }
    return;
  }
  const auto pack_squares = [&](Index i, Index height) __attribute__((always_inline)) {
    const E* from = source.data + i * source.i_stride;
    for (Index p = 0; p + kSide <= k; p += kSide) {
      transpose_square(from + p, source.i_stride, height, packed + p * packed_stride + i,
                       packed_stride);
    }
    if (k % kSide != 0) {
      const Index p = k - kSide;
      transpose_square(from + p, source.i_stride, height, packed + p * packed_stride + i,
                       packed_stride);
    }
  };
  const Index whole = rows / kSide * kSide;
  if (whole < rows) {
    pack_squares(whole, rows - whole);
  }
  for (Index i = 0; i < whole; i += kSide) {
    pack_squares(i, kSide);
  }
}

/// Copies `count` elements, widened; they may move to the front. The last vector, which overlaps
/// the one before, is read before anything is written.
template <class E, class T>
void copy_row(const E* from, Index count, T* to) {
  constexpr Index kLanes = 32 / sizeof(T);
  if (count < kLanes) {
    for (Index i = 0; i < count; ++i) {
      to[i] = widen(from[i]);
    }
    return;
  }
  const auto load = [from](Index i) {
    if constexpr (sizeof(T) == 4) {
      return widen8(from + i);
    } else {
      return _mm256_loadu_pd(from + i);
    }
  };
  const auto store = [to](Index i, auto vector) {
    if constexpr (sizeof(T) == 4) {
      _mm256_storeu_ps(to + i, vector);
    } else {
      _mm256_storeu_pd(to + i, vector);
    }
  };
  const auto last = load(count - kLanes);
  for (Index i = 0; i + kLanes < count; i += kLanes) {
    store(i, load(i));
  }
  store(count - kLanes, last);
}

/// Packs columns that are contiguous along i.
template <class E, class T>
void pack_along_i(const PackSource<E>& source, Index rows, Index k, T* packed,
                  Index packed_stride) {
  for (Index p = 0; p < k; ++p) {
    copy_row(source.data + p * source.k_stride, rows, packed + p * packed_stride);
  }
}

/// Packs several panels of `panel` rows, panel_step apart in packed, for an operand that is
/// contiguous along i: it is read in its own order, along whole rows of memory. The rows after next
/// are fetched ahead, as the processor does not see from one row to the next.
template <class E, class T>
void pack_panels_along_i(const PackSource<E>& source, Index rows, Index k, T* packed, Index panel,
                         Index panel_step) {
  for (Index p = 0; p < k; ++p) {
    const E* from = source.data + p * source.k_stride;
    T* to = packed + p * panel;
    for (Index i = 0; i < rows; i += panel) {
      __builtin_prefetch(from + i + 2 * source.k_stride, 0, 2);
      copy_row(from + i, rows - i < panel ? rows - i : panel, to);
      to += panel_step;
    }
  }
}

/// Packs any strides.
template <class E, class T>
void pack(const PackSource<E>& source, Index rows, Index k, T* packed, Index packed_stride) {
  if (source.k_stride == 1) {
    pack_along_k(source, rows, k, packed, packed_stride);
  } else if (source.i_stride == 1) {
    pack_along_i(source, rows, k, packed, packed_stride);
  } else {
    for (Index p = 0; p < k; ++p) {
      for (Index i = 0; i < rows; ++i) {
        packed[p * packed_stride + i] =
            widen(source.data[i * source.i_stride + p * source.k_stride]);
      }
    }
  }
}

}  // namespace rondo::codegen::RONDO_ISA
