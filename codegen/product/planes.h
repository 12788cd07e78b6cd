// Padded, sampled copies of an image's channels (see Planes).
#pragma once

#include "codegen/product/convolution_kernels.h"
#include "codegen/product/pack.h"
#include "codegen/product/row_blocks.h"

namespace rondo::codegen::RONDO_ISA {

/// The columns begin..end of a plane's rows that are inside the source.
struct InsideColumns {
  Index begin;
  Index end;
};

inline InsideColumns inside_columns(const PlaneSampling& s, Index source_cols, Index cols) {
  const Index before = s.first_col >= 0 ? 0 : divide_up(-s.first_col, s.col_step);
  const Index begin = least(cols, before);
  const Index left = source_cols - s.first_col;
  const Index end = left > 0 ? least(cols, divide_up(left, s.col_step)) : 0;
  return {begin, end < begin ? begin : end};
}

/// Zeros outside begin..end, and perhaps inside.
template <class T>
void clear_ends(const InsideColumns& inside, T* to, Index cols) {
  using S = Simd<T>;
  if (cols >= S::kWidth && inside.begin <= S::kWidth && cols - inside.end <= S::kWidth) {
    S::store(to, S::zero());
    S::store(to + cols - S::kWidth, S::zero());
    return;
  }
  for (Index i = 0; i < inside.begin; ++i) {
    to[i] = 0;
  }
  for (Index i = inside.end; i < cols; ++i) {
    to[i] = 0;
  }
}

/// One row of a plane: to[c] = from[c * step + first], zero outside the row of `count` elements.
template <class E, class T>
void fill_plane_row(const E* from, Index count, const PlaneSampling& s, const InsideColumns& inside,
                    T* to, Index cols) {
  const Index first = s.first_col;
  const Index step = s.col_step;
  const Index begin = inside.begin;
  const Index end = inside.end;
  clear_ends(inside, to, cols);
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
}

/// Rows of a plane that are as wide as the source's, one after the other: they are copied as one,
/// moved by first_col, and what came from a neighbouring row is cleared.
template <class E, class T>
void fill_whole_rows(const E* from, Index rows, const PlaneSampling& s, const InsideColumns& inside,
                     T* to, Index cols) {
  const Index count = rows * cols;
  const Index moved = s.first_col < 0 ? -s.first_col : s.first_col;
  if (s.first_col < 0) {
    copy_row(from, count - moved, to + moved);
  } else {
    copy_row(from + moved, count - moved, to);
  }
  const auto clear_columns = [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      for (Index r = 0; r < rows; ++r) {
        to[r * cols + i] = 0;
      }
    }
  };
  clear_columns(0, inside.begin);
  clear_columns(inside.end, cols);
}

/// Every row of a plane.
template <class E, class T>
void fill_plane(const Planes& planes, const PlaneSampling& s, Index first_line, const E* from,
                T* to) {
  const InsideColumns inside = inside_columns(s, planes.source_cols, planes.cols);
  const InsideColumns none{planes.cols, planes.cols};
  const bool as_wide = s.row_step == 1 && s.col_step == 1 && planes.cols == planes.source_cols &&
                       inside.begin < inside.end;
  for (Index r = 0; r < planes.rows;) {
    const Index row = (first_line + r) * s.row_step + s.first_row;
    Index rows = 1;
    if (row < 0 || row >= planes.source_rows) {
      clear_ends(none, to, planes.cols);
    } else if (as_wide) {
      rows = least(planes.rows - r, planes.source_rows - row);
      fill_whole_rows(from + row * planes.source_cols, rows, s, inside, to, planes.cols);
    } else {
      fill_plane_row(from + row * planes.source_cols, planes.source_cols, s, inside, to,
                     planes.cols);
    }
    r += rows;
    to += rows * planes.cols;
  }
}

template <class E>
void fill_planes(const Planes& planes, Index first_line, const void* source, void* out) {
  const auto* from = static_cast<const E*>(source);
  auto* to = static_cast<Compute<E>*>(out);
  for (Index channel = 0; channel < planes.channels; ++channel) {
    for (Index i = 0; i < planes.count; ++i) {
      fill_plane(planes, planes.samplings[i], first_line, from, to);
      to += planes.rows * planes.cols;
    }
    from += planes.source_rows * planes.source_cols;
  }
}

}  // namespace rondo::codegen::RONDO_ISA
