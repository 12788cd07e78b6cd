// Shapes of convolutions for tests, with their operands and canonical results.
#pragma once

#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "codegen/product/convolution.h"
#include "tests/codegen/product/operand.h"
#include "tests/support/canonical.h"

namespace rondo::codegen {

inline Index output_size(Index in, Index kernel, Index stride, Index padding, Index dilation) {
  return (in + 2 * padding - dilation * (kernel - 1) - 1) / stride + 1;
}

/// A square-ish convolution; out sizes follow from the others.
inline Convolution make_convolution(Index batch, Index groups, Index in, Index out, Index rows,
                                    Index cols, Index kernel_rows, Index kernel_cols, Index stride,
                                    Index padding, Index dilation) {
  Convolution c;
  c.batch = batch;
  c.groups = groups;
  c.in_channels = in;
  c.out_channels = out;
  c.in_rows = rows;
  c.in_cols = cols;
  c.kernel_rows = kernel_rows;
  c.kernel_cols = kernel_cols;
  c.stride_rows = stride;
  c.stride_cols = stride;
  c.padding_rows = padding;
  c.padding_cols = padding;
  c.dilation_rows = dilation;
  c.dilation_cols = dilation;
  c.out_rows = output_size(rows, kernel_rows, stride, padding, dilation);
  c.out_cols = output_size(cols, kernel_cols, stride, padding, dilation);
  return c;
}

/// Convolutions of every kind, in an order that says what each is for.
inline std::vector<Convolution> convolution_cases() {
  std::vector<Convolution> cases{
      make_convolution(1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1),       // one number
      make_convolution(2, 1, 3, 5, 8, 9, 3, 3, 1, 1, 1),       // the usual one
      make_convolution(3, 1, 1, 16, 12, 12, 3, 3, 1, 0, 1),    // reads the input in place
      make_convolution(2, 1, 50, 7, 6, 5, 3, 3, 1, 1, 1),      // k over two blocks
      make_convolution(1, 1, 400, 30, 5, 7, 1, 1, 1, 0, 1),    // 1 x 1, two blocks
      make_convolution(2, 1, 6, 9, 11, 13, 3, 3, 2, 1, 1),     // stride
      make_convolution(1, 1, 4, 8, 16, 10, 5, 2, 3, 2, 1),     // stride 3, odd kernel
      make_convolution(2, 1, 3, 4, 15, 14, 3, 3, 1, 2, 2),     // dilation
      make_convolution(1, 1, 3, 4, 17, 19, 3, 2, 2, 3, 3),     // all of them
      make_convolution(2, 3, 6, 9, 9, 8, 3, 3, 1, 1, 1),       // groups
      make_convolution(2, 8, 8, 8, 10, 10, 3, 3, 1, 1, 1),     // one channel a group
      make_convolution(5, 1, 7, 6, 1, 40, 1, 5, 1, 2, 1),      // one dimension
      make_convolution(3, 1, 5, 11, 1, 33, 1, 3, 2, 1, 1),     // one dimension, stride
      make_convolution(40, 1, 3, 70, 4, 4, 4, 4, 1, 0, 1),     // one position an image
      make_convolution(30, 1, 2, 3, 7, 6, 3, 3, 1, 1, 1),      // images end within blocks of k
      make_convolution(1, 1, 2, 130, 9, 40, 3, 3, 1, 1, 1),    // many rows of weights
      make_convolution(1, 1, 2, 3, 5, 5, 1, 1, 2, 0, 1),       // stride beyond the kernel
      make_convolution(1, 1, 2, 3, 4, 4, 3, 3, 1, 4, 1),       // windows that see only padding
      make_convolution(1, 1, 16, 20, 40, 300, 3, 3, 1, 1, 1),  // many positions
      make_convolution(2, 1, 60, 12, 9, 14, 3, 3, 1, 1, 1),    // short lines, k over two blocks
      make_convolution(1, 1, 31, 9, 5, 26, 3, 3, 1, 1, 1),     // long lines, a longer k
      make_convolution(1, 1, 2, 8, 13, 15, 3, 4, 2, 11, 3),    // more padding than a vector
      make_convolution(2, 2, 4, 40, 28, 28, 3, 3, 1, 1, 1),    // panels behind one another
  };
  Convolution uneven = make_convolution(2, 1, 3, 4, 9, 10, 3, 3, 2, 0, 1);
  uneven.padding_rows = 1;  // before, not behind
  uneven.stride_cols = 1;
  uneven.dilation_cols = 2;
  uneven.out_rows = 5;
  uneven.out_cols = 7;  // one beyond the edge
  cases.push_back(uneven);
  return cases;
}

inline std::string text(const Convolution& c) {
  return std::to_string(c.batch) + " images, " + std::to_string(c.groups) + " groups, " +
         std::to_string(c.in_channels) + " to " + std::to_string(c.out_channels) + " channels, " +
         std::to_string(c.in_rows) + " x " + std::to_string(c.in_cols) + ", kernel " +
         std::to_string(c.kernel_rows) + " x " + std::to_string(c.kernel_cols) + ", stride " +
         std::to_string(c.stride_rows) + ", padding " + std::to_string(c.padding_rows) +
         ", dilation " + std::to_string(c.dilation_rows);
}

/// A contiguous array of rank 4 of random elements.
template <class E>
struct Array4 {
  Array4(Index a, Index b, Index c, Index d, unsigned seed) : sizes{a, b, c, d} {
    std::mt19937 engine(seed);
    values.resize(static_cast<std::size_t>(a * b * c * d));
    for (E& value : values) {
      value = random_element<E>(engine);
    }
  }
  E operator()(Index a, Index b, Index c, Index d) const {
    return values[static_cast<std::size_t>(((a * sizes[1] + b) * sizes[2] + c) * sizes[3] + d)];
  }

  std::array<Index, 4> sizes;
  std::vector<E> values;
};

template <class E>
struct ConvolutionOperands {
  explicit ConvolutionOperands(const Convolution& c)
      : input(c.batch, c.in_channels, c.in_rows, c.in_cols, 1),
        weight(c.out_channels, c.in_channels / c.groups, c.kernel_rows, c.kernel_cols, 2),
        gradient(c.batch, c.out_channels, c.out_rows, c.out_cols, 3) {}

  Array4<E> input;
  Array4<E> weight;
  Array4<E> gradient;
};

}  // namespace rondo::codegen
