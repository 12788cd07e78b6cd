// The geometry of convolutions: which plane and place each tap of the kernel reads.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/product/convolution.h"
#include "codegen/product/convolution_kernels.h"

namespace rondo::codegen {

/// One element of the kernel: the plane of a channel that it reads, how far from the position, and
/// where its weight lies within those of a pair of channels.
struct WindowTap {
  std::int64_t plane = 0;
  std::int64_t row_shift = 0;
  std::int64_t col_shift = 0;
  std::int64_t weight = 0;
};

/// Positions that the same taps contribute to: all of them, or with strides every so many of an
/// input gradient. Position (r, c) is element (first_row + r * row_step, first_col + c * col_step).
struct WindowGrid {
  std::int64_t first_row = 0;
  std::int64_t first_col = 0;
  std::int64_t lines = 0;
  std::int64_t cols = 0;
  std::vector<WindowTap> taps;  // in the order of k within a channel
};

/// A product of weights with windows, the same for every image and group.
struct WindowPlan {
  std::int64_t m = 0;         // result channels of a group
  std::int64_t channels = 0;  // source channels of a group
  std::int64_t source_rows = 0;
  std::int64_t source_cols = 0;
  std::int64_t result_rows = 0;
  std::int64_t result_cols = 0;
  std::vector<PlaneSampling> samplings;
  std::int64_t extra_rows = 0;  // of a plane, beyond the lines of positions
  std::int64_t plane_cols = 0;
  std::int64_t row_step = 1;
  std::int64_t col_step = 1;
  std::vector<WindowGrid> grids;
  std::int64_t weight_row_stride = 0;
  std::int64_t weight_channel_stride = 0;
  std::int64_t weight_group_stride = 0;

  /// Whether the source itself can stand for the planes.
  bool reads_in_place() const;
  /// The planes of `lines` lines of positions.
  Planes planes(std::int64_t lines) const;
  /// Where each step of k reads.
  std::vector<std::int64_t> offsets(const WindowGrid& grid, const Planes& planes) const;
  /// Where the weight of each step lies, in those of a row.
  std::vector<std::int64_t> weight_offsets(const WindowGrid& grid) const;
};

/// closed_up: each column of the kernel has planes of its own, in which positions lie side by side,
/// with nothing between the lines. It takes more copies; what lies between is not computed.
WindowPlan plan_convolution(const Convolution& convolution, bool closed_up);
WindowPlan plan_input_gradient(const Convolution& convolution);

}  // namespace rondo::codegen
