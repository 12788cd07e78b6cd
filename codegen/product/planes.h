// Padded, sampled copies of an image's channels (see Planes).
#pragma once

#include "codegen/product/convolution_kernels.h"
#include "codegen/product/pack.h"
#include "codegen/product/row_blocks.h"

namespace rondo::codegen::RONDO_ISA {

/// One row of a plane: to[c] = from[c * step + first], zero outside 0..count - 1.
template <class E, class T>
void fill_plane_row(const E* from, Index count, Index first, Index step, T* to, Index cols) {
  // Columns begin..end are inside.
  const Index begin = first >= 0 ? 0 : least(cols, divide_up(-first, step));
  const Index inside = count - first > 0 ? divide_up(count - first, step) : 0;
  const Index end = inside < begin ? begin : least(cols, inside);
  for (Index i = 0; i < begin; ++i) {
    to[i] = 0;
  }
  Index c = begin;
  if (step == 1) {
    copy_row(from + first + begin, end - begin, to + begin);
    c = end;
  } else if constexpr (sizeof(T) == sizeof(float)) {
    // Every second of sixteen; the last of them must be inside too.
    for (; step == 2 && c + 8 <= end && first + 2 * c + 16 <= count; c += 8) {
      const __m256 low = widen8(from + first + 2 * c);
      const __m256 high = widen8(from + first + 2 * c + 8);
      const __m256 pairs = _mm256_shuffle_ps(low, high, 0x88);
      const __m256i ordered = _mm256_permute4x64_epi64(_mm256_castps_si256(pairs), 0xD8);
      _mm256_storeu_ps(to + c, _mm256_castsi256_ps(ordered));
    }
  }
  for (; c < end; ++c) {
    to[c] = widen(from[first + c * step]);
  }
  for (Index i = end; i < cols; ++i) {
    to[i] = 0;
  }
}

template <class E>
void fill_planes(const Planes& planes, Index first_line, const void* source, void* out) {
  const auto* from = static_cast<const E*>(source);
  auto* to = static_cast<Compute<E>*>(out);
  for (Index channel = 0; channel < planes.channels; ++channel) {
    for (Index i = 0; i < planes.count; ++i) {
      const PlaneSampling& s = planes.samplings[i];
      for (Index r = 0; r < planes.rows; ++r) {
        const Index row = (first_line + r) * s.row_step + s.first_row;
        const bool inside = row >= 0 && row < planes.source_rows;
        fill_plane_row(from + (inside ? row * planes.source_cols : 0),
                       inside ? planes.source_cols : 0, s.first_col, s.col_step, to, planes.cols);
        to += planes.cols;
      }
    }
    from += planes.source_rows * planes.source_cols;
  }
}

}  // namespace rondo::codegen::RONDO_ISA
