// Matrices for tests of products: any dtype and layout, read back in the compute type.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "codegen/product/product.h"
#include "core/tensor/dtype.h"
#include "tests/support/halves.h"

namespace rondo::codegen {

using Index = std::int64_t;

/// A random element; sums of products of these round at every step.
template <class E>
E random_element(std::mt19937& engine) {
  if constexpr (std::is_floating_point_v<E>) {
    return std::normal_distribution<E>()(engine);
  } else if constexpr (std::is_same_v<E, std::uint16_t>) {
    const auto bits = static_cast<std::uint16_t>(engine());
    return static_cast<std::uint16_t>((bits & 0x83FF) | 0x3800);  // both formats: around 0.5
  } else {
    return static_cast<E>(engine());
  }
}

/// Where the elements of a matrix lie.
enum class Layout { row_major, column_major, padded_rows, spread };
inline constexpr Layout kLayouts[] = {Layout::row_major, Layout::column_major, Layout::padded_rows,
                                      Layout::spread};

/// `batches` matrices of random elements.
template <class E>
class Operand {
 public:
  Operand(Index batches, Index rows, Index cols, Layout layout, unsigned seed) {
    switch (layout) {
      case Layout::row_major:
        row_stride_ = cols;
        col_stride_ = 1;
        break;
      case Layout::column_major:
        row_stride_ = 1;
        col_stride_ = rows;
        break;
      case Layout::padded_rows:
        row_stride_ = cols + 5;
        col_stride_ = 1;
        break;
      case Layout::spread:
        row_stride_ = 2 * cols + 3;
        col_stride_ = 2;
        break;
    }
    batch_stride_ = rows * row_stride_ + cols * col_stride_;
    values_.resize(static_cast<std::size_t>(batches * batch_stride_));
    std::mt19937 engine(seed);
    for (E& value : values_) {
      value = random_element<E>(engine);
    }
  }

  ProductOperand operand() const {
    return {values_.data(), row_stride_, col_stride_, {0, 0, 0, batch_stride_}};
  }
  E& at(Index row, Index col, Index batch = 0) {
    return values_[static_cast<std::size_t>(batch * batch_stride_ + row * row_stride_ +
                                            col * col_stride_)];
  }
  const E& at(Index row, Index col, Index batch = 0) const {
    return const_cast<Operand*>(this)->at(row, col, batch);
  }

 private:
  Index row_stride_ = 0;
  Index col_stride_ = 0;
  Index batch_stride_ = 0;
  std::vector<E> values_;
};

}  // namespace rondo::codegen
