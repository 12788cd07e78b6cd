#include "codegen/product/window_runner.h"

#include <algorithm>
#include <cstddef>

#include "codegen/round_up.h"
#include "core/base/float_environment.h"
#include "core/base/isa.h"
#include "core/base/thread_pool.h"

namespace rondo::codegen {
namespace {

using Index = std::int64_t;

class WindowRunner {
 public:
  WindowRunner(const WindowPlan& plan, Dtype dtype, Index images, Index groups)
      : plan_(plan),
        dtype_(dtype),
        sum_dtype_(compute_dtype(dtype)),
        images_(images),
        groups_(groups),
        kernels_(convolution_kernels_for(dtype)) {
    split();
    planes_ = plan.planes(lines_);
    for (const WindowGrid& grid : plan.grids) {
      offsets_.push_back(plan.offsets(grid, planes_));
    }
  }

  void run(const void* source, const void* weights, void* result, const Epilogue& epilogue);

 private:
  struct Part {
    Index image;
    Index group;
    Index row;  // first row of the group, and how many
    Index rows;
    Index line;
    Index lines;
  };

  void split();
  bool is_parallel() const { return wanted_ > 1; }
  Part part(Index i) const;
  void pack(const void* weights);
  void run_part(const Part& part);
  const void* read_planes(const Part& part, void* space) const;
  WindowProduct product(const Part& part, std::size_t grid, const void* planes) const;
  void run_single(const Part& part, const void* planes) const;
  void run_strided(const Part& part, const void* planes, void* scratch) const;
  ProductTile tile(const Part& part) const;

  Index steps(std::size_t grid) const { return static_cast<Index>(offsets_[grid].size()); }
  Index positions() const { return plan_.result_rows * plan_.result_cols; }
  bool reads_in_place() const { return plan_.reads_in_place() && dtype_ == sum_dtype_; }
  Index result_offset(const Part& part) const {
    return ((part.image * groups_ + part.group) * plan_.m + part.row) * positions();
  }
  std::size_t packed_index(Index group, Index row_part, std::size_t grid) const {
    return (static_cast<std::size_t>(group * row_parts_ + row_part)) * plan_.grids.size() + grid;
  }

  const WindowPlan& plan_;
  Dtype dtype_;
  Dtype sum_dtype_;
  Index images_;
  Index groups_;
  const ConvolutionKernels& kernels_;
  Planes planes_;
  std::vector<std::vector<Index>> offsets_;  // of each grid
  Index wanted_ = 1;                         // parts
  Index rows_ = 0;                           // of a part
  Index row_parts_ = 1;
  Index lines_ = 0;  // of a part
  Index line_parts_ = 1;
  std::vector<const void*> packed_;  // weights of each group, part of rows and grid
  const void* source_ = nullptr;
  const void* weights_ = nullptr;
  void* result_ = nullptr;
  const Epilogue* epilogue_ = nullptr;
};

// Images and groups are parts already; where they are too few, lines or rows are split as well.
void WindowRunner::split() {
  const Index least_work = worth_a_thread(kWorthAThread);
  constexpr Index kLeastPositions = 128;
  constexpr Index kLeastRows = 24;
  Index taps = 0;
  lines_ = 0;
  for (const WindowGrid& grid : plan_.grids) {
    taps += static_cast<Index>(grid.taps.size()) * grid.lines * grid.cols;
    lines_ = std::max(lines_, grid.lines);
  }
  rows_ = plan_.m;
  const Index work = images_ * groups_ * plan_.m * plan_.channels * taps;
  if (in_parallel_region() || num_threads() == 1 || work < 2 * least_work) {
    return;
  }
  wanted_ = std::min<Index>(2 * num_threads(), work / least_work);
  const Index most_lines = lines_;
  while (images_ * groups_ * row_parts_ * line_parts_ < wanted_) {
    if (plan_.grids.size() == 1 && lines_ > 1 && lines_ * plan_.plane_cols > kLeastPositions) {
      lines_ = divide_up(lines_, 2);
      line_parts_ = divide_up(most_lines, lines_);
    } else if (rows_ > kLeastRows) {
      rows_ = divide_up(rows_, 2);
      row_parts_ = divide_up(plan_.m, rows_);
    } else {
      break;
    }
  }
}

WindowRunner::Part WindowRunner::part(Index i) const {
  Part p{};
  p.line = i % line_parts_ * lines_;
  i /= line_parts_;
  p.row = i % row_parts_ * rows_;
  i /= row_parts_;
  p.group = i % groups_;
  p.image = i / groups_;
  p.rows = std::min(rows_, plan_.m - p.row);
  p.lines = std::min(lines_, plan_.grids.front().lines - p.line);
  return p;
}

// Weights that are used for many positions are packed; those of a few are read as they lie.
void WindowRunner::pack(const void* weights) {
  constexpr Index kManyPositions = 256;
  const bool whole = plan_.grids.size() == 1;  // every tap has a step, in the order of the weights
  const auto taps = static_cast<Index>(plan_.grids.front().taps.size());
  const bool in_rows = whole && plan_.weight_channel_stride == taps;
  if (in_rows && dtype_ == sum_dtype_ && images_ * positions() < kManyPositions) {
    return;
  }
  Index size = 0;
  for (std::size_t grid = 0; grid < plan_.grids.size(); ++grid) {
    size += groups_ * (plan_.m * steps(grid) + row_parts_ * 16);
  }
  void* space = product_workspace(size_bytes(sum_dtype_, size), Workspace::call);
  packed_.resize(packed_index(groups_, 0, 0));
  std::vector<std::vector<Index>> weight_offsets;
  for (const WindowGrid& grid : plan_.grids) {
    weight_offsets.push_back(whole ? std::vector<Index>{} : plan_.weight_offsets(grid));
  }
  for (Index group = 0; group < groups_; ++group) {
    for (Index row_part = 0; row_part < row_parts_; ++row_part) {
      const Index row = row_part * rows_;
      for (std::size_t grid = 0; grid < plan_.grids.size(); ++grid) {
        WeightPacking w;
        w.m = std::min(rows_, plan_.m - row);
        w.k = steps(grid);
        w.weights = advance(weights, dtype_,
                            group * plan_.weight_group_stride + row * plan_.weight_row_stride);
        w.row_stride = plan_.weight_row_stride;
        w.channel_stride = plan_.weight_channel_stride;
        w.taps = taps;
        w.offsets = whole ? nullptr : weight_offsets[grid].data();
        kernels_.pack(w, space);
        packed_[packed_index(group, row_part, grid)] = space;
        space = advance(space, sum_dtype_, w.m * w.k + 16);
      }
    }
  }
}

// The image's planes: its own memory, or `space` filled with them.
const void* WindowRunner::read_planes(const Part& part, void* space) const {
  const Index channel = (part.image * groups_ + part.group) * plan_.channels;
  const Index source_size = plan_.source_rows * plan_.source_cols;
  const void* source = advance(source_, dtype_, channel * source_size);
  if (reads_in_place()) {
    return advance(source, dtype_, part.line * plan_.source_cols);
  }
  kernels_.fill(planes_, part.line, source, space);
  return space;
}

WindowProduct WindowRunner::product(const Part& part, std::size_t grid, const void* planes) const {
  WindowProduct w;
  w.m = part.rows;
  w.k = steps(grid);
  if (packed_.empty()) {
    w.weights =
        advance(weights_, dtype_,
                part.group * plan_.weight_group_stride + part.row * plan_.weight_row_stride);
    w.weights_row_stride = plan_.weight_row_stride;
  } else {
    w.packed = packed_[packed_index(part.group, part.row / rows_, grid)];
  }
  w.planes = planes;
  w.offsets = offsets_[grid].data();
  w.pitch = planes_.cols;
  w.lines = plan_.grids[grid].lines;
  w.cols = plan_.grids[grid].cols;
  return w;
}

ProductTile WindowRunner::tile(const Part& part) const {
  ProductTile tile;
  tile.batch = part.image;
  tile.row = part.group * plan_.m + part.row;
  tile.col = part.line * plan_.result_cols;
  return tile;
}

// All positions are of one grid, and lie in the result as they are made.
void WindowRunner::run_single(const Part& part, const void* planes) const {
  WindowProduct w = product(part, 0, planes);
  w.lines = part.lines;
  w.c = epilogue_->stores
            ? nullptr
            : advance(result_, dtype_, result_offset(part) + part.line * plan_.result_cols);
  w.c_row_stride = positions();
  w.epilogue = epilogue_->run != nullptr ? epilogue_ : nullptr;
  w.first = tile(part);
  kernels_.windows(w);
}

// Grids interleave in the result.
void WindowRunner::run_strided(const Part& part, const void* planes, void* scratch) const {
  void* c = epilogue_->stores ? nullptr : advance(result_, dtype_, result_offset(part));
  void* sums = c == nullptr || dtype_ != sum_dtype_ ? scratch : c;
  for (std::size_t grid = 0; grid < plan_.grids.size(); ++grid) {
    WindowProduct w = product(part, grid, planes);
    const WindowGrid& g = plan_.grids[grid];
    w.sums = advance(sums, sum_dtype_, g.first_row * plan_.result_cols + g.first_col);
    w.sums_row_stride = positions();
    w.sums_line_stride = plan_.row_step * plan_.result_cols;
    w.sums_col_stride = plan_.col_step;
    kernels_.windows(w);
  }
  ProductRegion region;
  region.m = part.rows;
  region.n = positions();
  region.c = c;
  region.c_row_stride = positions();
  region.epilogue = epilogue_->run != nullptr ? epilogue_ : nullptr;
  region.first = tile(part);
  kernels_.finish(region, sums);
}

void WindowRunner::run_part(const Part& part) {
  const bool strided = plan_.grids.size() > 1;
  const Index planes_size = reads_in_place() ? 0 : planes_.size();
  const Index scratch_size = strided ? part.rows * positions() : 0;
  void* space = nullptr;
  if (planes_size + scratch_size > 0) {
    space = product_workspace(size_bytes(sum_dtype_, planes_size + scratch_size), Workspace::task);
  }
  const void* planes = read_planes(part, space);
  if (strided) {
    run_strided(part, planes, advance(space, sum_dtype_, planes_size));
  } else {
    run_single(part, planes);
  }
}

void WindowRunner::run(const void* source, const void* weights, void* result,
                       const Epilogue& epilogue) {
  source_ = source;
  weights_ = weights;
  result_ = result;
  epilogue_ = &epilogue;
  const FloatEnvironment environment;
  pack(weights);
  const Index parts = images_ * groups_ * row_parts_ * line_parts_;
  const auto run_parts = [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      run_part(part(i));
    }
  };
  if (is_parallel()) {
    parallel_for(parts, 1, run_parts);
  } else {
    run_parts(0, parts);
  }
}

}  // namespace

const ConvolutionKernels& convolution_kernels_for(Dtype dtype) {
  return current_isa() == Isa::v4 ? v4::convolution_kernels(dtype) : v3::convolution_kernels(dtype);
}

void run_window_plan(const WindowPlan& plan, Dtype dtype, Index images, Index groups,
                     const void* source, const void* weights, void* result,
                     const Epilogue& epilogue) {
  WindowRunner(plan, dtype, images, groups).run(source, weights, result, epilogue);
}

}  // namespace rondo::codegen
