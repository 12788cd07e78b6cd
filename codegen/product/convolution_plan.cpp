#include "codegen/product/convolution_plan.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "codegen/round_up.h"

namespace rondo::codegen {
namespace {

using Index = std::int64_t;

// One dimension of a convolution.
struct Axis {
  Index kernel = 1;
  Index stride = 1;
  Index padding = 0;
  Index dilation = 1;
};

// With stride s, tap u of position r reads element r * s + u * dilation - padding: element
// r + shift of the phase that holds every s-th element.
struct AxisTap {
  Index tap = 0;
  Index phase = 0;
  Index shift = 0;
};

// The taps of a kernel, and the phases that they read.
struct AxisTaps {
  std::vector<AxisTap> taps;
  std::vector<Index> first;  // element of each phase
  Index extra = 0;           // the greatest shift: elements that a phase has beyond its positions
};

// Each tap has a phase of its own: element r of it is what the tap reads at position r.
AxisTaps taps_apart(const Axis& axis) {
  AxisTaps result;
  for (Index tap = 0; tap < axis.kernel; ++tap) {
    result.taps.push_back({tap, tap, 0});
    result.first.push_back(tap * axis.dilation - axis.padding);
  }
  return result;
}

// Taps whose distances differ by whole strides share a phase.
AxisTaps forward_taps(const Axis& axis) {
  AxisTaps result;
  for (Index tap = 0; tap < axis.kernel; ++tap) {
    const Index distance = tap * axis.dilation;
    const Index first = distance % axis.stride - axis.padding;
    auto found = std::find(result.first.begin(), result.first.end(), first);
    if (found == result.first.end()) {
      found = result.first.insert(found, first);
    }
    const Index shift = distance / axis.stride;
    result.taps.push_back({tap, found - result.first.begin(), shift});
    result.extra = std::max(result.extra, shift);
  }
  return result;
}

// Elements residue, residue + stride, .. of an input: element r of them is read at output
// r + (residue + padding - u * dilation) / stride by the taps u for which this is whole.
std::vector<AxisTap> gradient_taps(const Axis& axis, Index residue) {
  std::vector<AxisTap> taps;
  for (Index tap = 0; tap < axis.kernel; ++tap) {
    const Index distance = residue + axis.padding - tap * axis.dilation;
    if (distance % axis.stride == 0) {
      taps.push_back({tap, 0, distance / axis.stride});
    }
  }
  return taps;
}

// The least and the greatest shift over all residues.
struct Range {
  Index least = std::numeric_limits<Index>::max();
  Index most = std::numeric_limits<Index>::min();
};

Range shift_range(const Axis& axis) {
  Range range;
  for (Index residue = 0; residue < axis.stride; ++residue) {
    for (const AxisTap& tap : gradient_taps(axis, residue)) {
      range.least = std::min(range.least, tap.shift);
      range.most = std::max(range.most, tap.shift);
    }
  }
  return range;
}

// Every pair of taps, rows first; `cols` is the width of the kernel, `phases` that of the planes.
std::vector<WindowTap> pair_taps(const std::vector<AxisTap>& rows,
                                 const std::vector<AxisTap>& columns, Index cols, Index phases,
                                 Index row_shift, Index col_shift) {
  std::vector<WindowTap> taps;
  for (const AxisTap& row : rows) {
    for (const AxisTap& col : columns) {
      taps.push_back({row.phase * phases + col.phase, row.shift - row_shift, col.shift - col_shift,
                      row.tap * cols + col.tap});
    }
  }
  return taps;
}

Axis row_axis(const Convolution& c) {
  return {c.kernel_rows, c.stride_rows, c.padding_rows, c.dilation_rows};
}
Axis col_axis(const Convolution& c) {
  return {c.kernel_cols, c.stride_cols, c.padding_cols, c.dilation_cols};
}

}  // namespace

bool WindowPlan::reads_in_place() const {
  const PlaneSampling& s = samplings.front();
  return samplings.size() == 1 && s.row_step == 1 && s.col_step == 1 && s.first_row == 0 &&
         s.first_col == 0 && plane_cols == source_cols && grids.size() == 1 &&
         grids.front().lines + extra_rows <= source_rows;
}

Planes WindowPlan::planes(Index lines) const {
  Planes p;
  p.channels = channels;
  p.source_rows = source_rows;
  p.source_cols = source_cols;
  p.rows = reads_in_place() ? source_rows : lines + extra_rows;
  p.cols = plane_cols;
  p.samplings = samplings.data();
  p.count = static_cast<Index>(samplings.size());
  return p;
}

std::vector<Index> WindowPlan::offsets(const WindowGrid& grid, const Planes& planes) const {
  std::vector<Index> result;
  result.reserve(static_cast<std::size_t>(channels) * grid.taps.size());
  for (Index channel = 0; channel < channels; ++channel) {
    for (const WindowTap& tap : grid.taps) {
      const Index plane = channel * planes.count + tap.plane;
      result.push_back((plane * planes.rows + tap.row_shift) * planes.cols + tap.col_shift);
    }
  }
  return result;
}

std::vector<Index> WindowPlan::weight_offsets(const WindowGrid& grid) const {
  std::vector<Index> result;
  result.reserve(static_cast<std::size_t>(channels) * grid.taps.size());
  for (Index channel = 0; channel < channels; ++channel) {
    for (const WindowTap& tap : grid.taps) {
      result.push_back(channel * weight_channel_stride + tap.weight);
    }
  }
  return result;
}

WindowPlan plan_convolution(const Convolution& c, bool closed_up) {
  const AxisTaps rows = forward_taps(row_axis(c));
  const AxisTaps cols = closed_up ? taps_apart(col_axis(c)) : forward_taps(col_axis(c));
  const Index taps = c.kernel_rows * c.kernel_cols;
  WindowPlan plan;
  plan.m = c.out_channels / c.groups;
  plan.channels = c.in_channels / c.groups;
  plan.source_rows = c.in_rows;
  plan.source_cols = c.in_cols;
  plan.result_rows = c.out_rows;
  plan.result_cols = c.out_cols;
  for (const Index first_row : rows.first) {
    for (const Index first_col : cols.first) {
      plan.samplings.push_back({first_row, c.stride_rows, first_col, c.stride_cols});
    }
  }
  plan.extra_rows = rows.extra;
  plan.plane_cols = c.out_cols + cols.extra;
  plan.weight_channel_stride = taps;
  plan.weight_row_stride = plan.channels * taps;
  plan.weight_group_stride = plan.m * plan.weight_row_stride;
  const auto phases = static_cast<Index>(cols.first.size());
  plan.grids.push_back(
      {0, 0, c.out_rows, c.out_cols, pair_taps(rows.taps, cols.taps, c.kernel_cols, phases, 0, 0)});
  return plan;
}

WindowPlan plan_input_gradient(const Convolution& c) {
  const Range rows = shift_range(row_axis(c));
  const Range cols = shift_range(col_axis(c));
  const Index taps = c.kernel_rows * c.kernel_cols;
  WindowPlan plan;
  plan.m = c.in_channels / c.groups;
  plan.channels = c.out_channels / c.groups;
  plan.source_rows = c.out_rows;
  plan.source_cols = c.out_cols;
  plan.result_rows = c.in_rows;
  plan.result_cols = c.in_cols;
  plan.samplings.push_back({rows.least, 1, cols.least, 1});
  plan.extra_rows = rows.most - rows.least;
  plan.plane_cols = divide_up(c.in_cols, c.stride_cols) + cols.most - cols.least;
  plan.row_step = c.stride_rows;
  plan.col_step = c.stride_cols;
  plan.weight_channel_stride = plan.m * taps;
  plan.weight_row_stride = taps;
  plan.weight_group_stride = plan.m * plan.channels * taps;
  for (Index row = 0; row < std::min(c.stride_rows, c.in_rows); ++row) {
    for (Index col = 0; col < std::min(c.stride_cols, c.in_cols); ++col) {
      plan.grids.push_back(
          {row, col, divide_up(c.in_rows - row, c.stride_rows),
           divide_up(c.in_cols - col, c.stride_cols),
           pair_taps(gradient_taps(row_axis(c), row), gradient_taps(col_axis(c), col),
                     c.kernel_cols, 1, rows.least, cols.least)});
    }
  }
  return plan;
}

}  // namespace rondo::codegen
