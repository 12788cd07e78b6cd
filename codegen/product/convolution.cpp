#include "codegen/product/convolution.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "codegen/product/convolution_plan.h"
#include "codegen/product/window_runner.h"
#include "codegen/round_up.h"
#include "core/base/error.h"
#include "core/base/float_environment.h"
#include "core/base/thread_pool.h"

namespace rondo::codegen {
namespace {

using Index = std::int64_t;

void check_dtype(const Convolution& c) {
  check<DtypeError>(kFloating.contains(c.dtype),
                    "convolution: dtype is {}; expected float16, bfloat16, float32 or float64",
                    dtype_name(c.dtype));
}

// The gradient of the weights of each group, between its lanes and a part of its channels.
class WeightGradient {
 public:
  WeightGradient(const Convolution& c, const void* input, const void* gradient, void* result)
      : c_(c),
        plan_(plan_convolution(c, false)),
        taps_(c.kernel_rows * c.kernel_cols),
        blocks_(divide_up(c.batch * c.out_rows * c.out_cols, kProductBlock)),
        input_(input),
        gradient_(gradient),
        result_(result) {}

  void run();

 private:
  static constexpr Index kMostSums = 1 << 22;  // elements of block sums that are kept apart

  Index rows(Index channels) const { return channels * taps_; }
  WindowGradient part(Index group, Index channel, Index channels) const;
  void run_channels(Index group, Index channel, Index channels) const;
  void run_blocks(Index group) const;
  void* result_at(Index group) const {
    return advance(result_, c_.dtype, group * plan_.weight_group_stride);
  }

  const Convolution& c_;
  WindowPlan plan_;
  Index taps_;
  Index blocks_;
  const void* input_;
  const void* gradient_;
  void* result_;
};

WindowGradient WeightGradient::part(Index group, Index channel, Index channels) const {
  const Index image_size = c_.in_rows * c_.in_cols;
  const Index positions = c_.out_rows * c_.out_cols;
  WindowGradient g;
  g.images = c_.batch;
  g.rows = rows(channels);
  g.lanes = plan_.m;
  g.planes = plan_.planes(c_.out_rows);
  g.planes.channels = channels;
  g.input = advance(input_, c_.dtype, (group * plan_.channels + channel) * image_size);
  g.input_image_stride = c_.in_channels * image_size;
  g.gradient = advance(gradient_, c_.dtype, group * plan_.m * positions);
  g.gradient_image_stride = c_.out_channels * positions;
  g.lines = c_.out_rows;
  g.cols = c_.out_cols;
  g.end_block = blocks_;
  return g;
}

void WeightGradient::run_channels(Index group, Index channel, Index channels) const {
  const Dtype sum_dtype = compute_dtype(c_.dtype);
  WindowGradient g = part(group, channel, channels);
  const std::vector<Index> offsets = plan_.offsets(plan_.grids.front(), g.planes);
  g.offsets = offsets.data();
  g.sums = product_workspace(size_bytes(sum_dtype, g.rows * g.lanes), Workspace::task);
  const ConvolutionKernels& kernels = convolution_kernels_for(c_.dtype);
  kernels.gradient(g);
  kernels.store_gradient(g.sums, 1, g.rows, g.lanes,
                         advance(result_at(group), c_.dtype, rows(channel)),
                         plan_.weight_row_stride);
}

// Blocks of k are shared out, their sums kept apart and added in order.
void WeightGradient::run_blocks(Index group) const {
  const Dtype sum_dtype = compute_dtype(c_.dtype);
  const WindowGradient whole = part(group, 0, plan_.channels);
  const std::vector<Index> offsets = plan_.offsets(plan_.grids.front(), whole.planes);
  const Index size = whole.rows * whole.lanes;
  void* sums = product_workspace(size_bytes(sum_dtype, blocks_ * size), Workspace::call);
  const ConvolutionKernels& kernels = convolution_kernels_for(c_.dtype);
  parallel_for(blocks_, 1, [&](Index begin, Index end) {
    WindowGradient g = whole;
    g.offsets = offsets.data();
    g.first_block = begin;
    g.end_block = end;
    g.sums = advance(sums, sum_dtype, begin * size);
    g.apart = true;
    kernels.gradient(g);
  });
  kernels.store_gradient(sums, blocks_, whole.rows, whole.lanes, result_at(group),
                         plan_.weight_row_stride);
}

void WeightGradient::run() {
  const Index least_work = worth_a_thread(kWorthAThread);
  const FloatEnvironment environment;
  if (blocks_ == 0) {
    std::memset(
        result_, 0,
        static_cast<std::size_t>(size_bytes(c_.dtype, c_.out_channels * plan_.weight_row_stride)));
    return;
  }
  const Index rows_of_group = rows(plan_.channels);
  const Index work = c_.batch * c_.out_rows * c_.out_cols * c_.out_channels * rows_of_group;
  const bool is_parallel = !in_parallel_region() && num_threads() > 1 && work >= 2 * least_work;
  if (!is_parallel || c_.groups >= 2 * num_threads()) {
    const auto run_groups = [&](Index begin, Index end) {
      for (Index group = begin; group < end; ++group) {
        run_channels(group, 0, plan_.channels);
      }
    };
    is_parallel ? parallel_for(c_.groups, 1, run_groups) : run_groups(0, c_.groups);
    return;
  }
  for (Index group = 0; group < c_.groups; ++group) {
    if (blocks_ > 1 && blocks_ * rows_of_group * plan_.m <= kMostSums) {
      run_blocks(group);
    } else {
      const Index channels = std::max<Index>(1, plan_.channels / (2 * num_threads()));
      parallel_for(plan_.channels, channels,
                   [&](Index begin, Index end) { run_channels(group, begin, end - begin); });
    }
  }
}

// Planes for each column of the kernel cost copies, which enough channels share, and room in the
// cache, which a long k needs itself; what they save is a part of each line.
bool pays_to_close_up(const Convolution& c) {
  constexpr Index kManyChannels = 8;
  constexpr Index kShortLine = 16;
  constexpr Index kShortSum = 256;
  const Index k = c.in_channels / c.groups * c.kernel_rows * c.kernel_cols;
  return c.out_channels / c.groups >= kManyChannels &&
         (c.out_cols <= kShortLine || c.stride_cols > 1 || k <= kShortSum);
}

}  // namespace

void run_convolution(const Convolution& c, const void* input, const void* weight, void* output,
                     const Epilogue& epilogue) {
  check_dtype(c);
  if (c.batch * c.out_channels * c.out_rows * c.out_cols > 0) {
    run_window_plan(plan_convolution(c, pays_to_close_up(c)), c.dtype, c.batch, c.groups, input,
                    weight, output, epilogue);
  }
}

void run_convolution_input_gradient(const Convolution& c, const void* output_gradient,
                                    const void* weight, void* input_gradient,
                                    const Epilogue& epilogue) {
  check_dtype(c);
  if (c.batch * c.in_channels * c.in_rows * c.in_cols > 0) {
    run_window_plan(plan_input_gradient(c), c.dtype, c.batch, c.groups, output_gradient, weight,
                    input_gradient, epilogue);
  }
}

void run_convolution_weight_gradient(const Convolution& c, const void* input,
                                     const void* output_gradient, void* weight_gradient) {
  check_dtype(c);
  if (c.out_channels * c.in_channels * c.kernel_rows * c.kernel_cols > 0) {
    WeightGradient(c, input, output_gradient, weight_gradient).run();
  }
}

}  // namespace rondo::codegen
