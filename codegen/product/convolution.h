// Convolutions in their canonical orders (docs/numerics.md), on the tiles of the product.
#pragma once

#include <cstdint>

#include "codegen/product/product.h"

namespace rondo::codegen {

/// A convolution of two dimensions; one dimension is height 1. Everything is contiguous: inputs
/// [batch, in_channels, in_rows, in_cols], weights [out_channels, in_channels / groups,
/// kernel_rows, kernel_cols], outputs [batch, out_channels, out_rows, out_cols]. Output (r, c) is
/// the sum over the group's channels and the kernel (u, v) of weight times the input at row r *
/// stride_rows + u * dilation_rows - padding_rows, and likewise for columns; the input is zero
/// outside. The size of the output is given, so that padding behind may differ.
struct Convolution {
  Dtype dtype = Dtype::float32;
  std::int64_t batch = 0;
  std::int64_t groups = 1;
  std::int64_t in_channels = 0;
  std::int64_t out_channels = 0;
  std::int64_t in_rows = 0;
  std::int64_t in_cols = 0;
  std::int64_t out_rows = 0;
  std::int64_t out_cols = 0;
  std::int64_t kernel_rows = 1;
  std::int64_t kernel_cols = 1;
  std::int64_t stride_rows = 1;
  std::int64_t stride_cols = 1;
  std::int64_t padding_rows = 0;
  std::int64_t padding_cols = 0;
  std::int64_t dilation_rows = 1;
  std::int64_t dilation_cols = 1;
};

/// output = the convolution of input. Tiles of the epilogue: batch is the image, rows are output
/// channels, columns are positions (row-major).
/// Errors: DtypeError if the dtype is no float
void run_convolution(const Convolution& convolution, const void* input, const void* weight,
                     void* output, const Epilogue& epilogue = {});

/// input_gradient = the gradient of the input, from that of the output; also the transposed
/// convolution. Tiles of the epilogue: rows are input channels. Errors: as above
void run_convolution_input_gradient(const Convolution& convolution, const void* output_gradient,
                                    const void* weight, void* input_gradient,
                                    const Epilogue& epilogue = {});

/// weight_gradient = the gradient of the weights, from that of the output. Errors: as above
void run_convolution_weight_gradient(const Convolution& convolution, const void* input,
                                     const void* output_gradient, void* weight_gradient);

}  // namespace rondo::codegen
