// What the convolution kernels compiled for each vector level offer, and the plain data they take.
#pragma once

#include <cstdint>

#include "codegen/product/kernels.h"

namespace rondo::codegen {

/// How a plane samples a channel: its element (r, c) is the channel's at
/// (r * row_step + first_row, c * col_step + first_col), or zero outside.
struct PlaneSampling {
  std::int64_t first_row = 0;
  std::int64_t row_step = 1;
  std::int64_t first_col = 0;
  std::int64_t col_step = 1;
};

/// The planes of an image: `count` for each channel, of rows x cols elements in the compute dtype,
/// so sampled and padded that the window of a step of k is one offset away from the output's
/// position: the windows of all positions of a row lie side by side, and need no packing.
struct Planes {
  std::int64_t channels = 0;
  std::int64_t source_rows = 0;
  std::int64_t source_cols = 0;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  const PlaneSampling* samplings = nullptr;
  std::int64_t count = 0;

  std::int64_t size() const { return channels * count * rows * cols; }
};

/// A product of weights (m x k) with windows (k x positions). Positions are `lines` lines of
/// `cols`, `pitch` apart in the planes.
struct WindowProduct {
  std::int64_t m = 0;
  std::int64_t k = 0;
  /// Weights packed by pack_weights, or null: then rows as they lie, contiguous along k.
  const void* packed = nullptr;
  const void* weights = nullptr;
  std::int64_t weights_row_stride = 0;
  const void* planes = nullptr;
  const std::int64_t* offsets = nullptr;  // of each step of k
  std::int64_t pitch = 0;
  std::int64_t lines = 0;
  std::int64_t cols = 0;
  /// Where results go: elements of the dtype, lines contiguous; null if the epilogue stores them.
  void* c = nullptr;
  std::int64_t c_row_stride = 0;
  const Epilogue* epilogue = nullptr;
  ProductTile first;
  /// Or, if set: sums in the compute dtype with these strides, and nothing else.
  void* sums = nullptr;
  std::int64_t sums_row_stride = 0;
  std::int64_t sums_line_stride = 0;
  std::int64_t sums_col_stride = 0;
};

/// The gradient of the weights between `channels` channels of the input and `lanes` of the output,
/// in blocks first_block..end_block of k = (image, line, column).
struct WindowGradient {
  std::int64_t images = 0;
  std::int64_t rows = 0;  // (channel, kernel row, kernel column)
  std::int64_t lanes = 0;
  Planes planes;
  const std::int64_t* offsets = nullptr;  // of each row
  const void* input = nullptr;            // of the first image and channel
  std::int64_t input_image_stride = 0;
  const void* gradient = nullptr;  // of the first image and lane
  std::int64_t gradient_image_stride = 0;
  std::int64_t lines = 0;
  std::int64_t cols = 0;
  std::int64_t first_block = 0;
  std::int64_t end_block = 0;
  /// rows x lanes in the compute dtype: the sum of the blocks, or if `apart` a matrix per block.
  void* sums = nullptr;
  bool apart = false;
};

/// Weights to be packed. Element (i, p) of m x k lies at i * row_stride + offsets[p]; without
/// offsets at i * row_stride + p / taps * channel_stride + p % taps.
struct WeightPacking {
  std::int64_t m = 0;
  std::int64_t k = 0;
  const void* weights = nullptr;
  std::int64_t row_stride = 0;
  std::int64_t channel_stride = 0;
  std::int64_t taps = 0;
  const std::int64_t* offsets = nullptr;
};

/// The kernels of one element type.
struct ConvolutionKernels {
  /// Fills planes that begin `first_line` lines down, from the image whose channels begin at
  /// source.
  void (*fill)(const Planes&, std::int64_t first_line, const void* source, void* planes);
  void (*pack)(const WeightPacking&, void* packed);
  void (*windows)(const WindowProduct&);
  void (*gradient)(const WindowGradient&);
  /// Adds `blocks` matrices of rows x lanes in order; stores the sum transposed and rounded.
  void (*store_gradient)(void* sums, std::int64_t blocks, std::int64_t rows, std::int64_t lanes,
                         void* to, std::int64_t lane_stride);
  /// Finishes a part whose sums (m x n, rows n apart) are ready, as a product does.
  void (*finish)(const ProductRegion&, void* sums);
};

namespace v3 {
const ConvolutionKernels& convolution_kernels(Dtype dtype);
}  // namespace v3
namespace v4 {
const ConvolutionKernels& convolution_kernels(Dtype dtype);
}  // namespace v4

}  // namespace rondo::codegen
