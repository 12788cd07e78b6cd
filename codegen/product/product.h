// The matrix product in its canonical order: the same bits for any threads, vector width and m.
#pragma once

#include <array>
#include <cstdint>

#include "core/tensor/dtype.h"

namespace rondo::codegen {

/// Leading dimensions of a batch of products. Callers merge what can be merged and loop over more.
inline constexpr int kProductBatchRank = 4;
using BatchDims = std::array<std::int64_t, kProductBatchRank>;

/// A matrix operand. Strides count elements; a stride may be 0 (broadcast) or negative.
struct ProductOperand {
  const void* data = nullptr;
  std::int64_t row_stride = 0;
  std::int64_t col_stride = 1;
  BatchDims batch_strides{};
};

/// A finished part of the result, all of k summed: rows x cols elements at (row, col) of the matrix
/// of index `batch` (in row-major order of the batch dimensions). Elements have the compute dtype:
/// float32 for 16-bit floats, else the dtype of the product.
struct ProductTile {
  std::int64_t batch = 0;
  std::int64_t row = 0;
  std::int64_t col = 0;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  void* data = nullptr;
  std::int64_t row_stride = 0;
};

/// Multiplications that are worth a thread.
inline constexpr std::int64_t kWorthAThread = 1 << 19;

/// Runs once on each finished tile, in the thread that computed it, while it is in cache. Tiles
/// cover the result; their shapes are not specified, so it must work element by element.
struct Epilogue {
  void (*run)(const void* context, const ProductTile& tile) = nullptr;
  const void* context = nullptr;
  /// Whether `run` stores what it makes elsewhere. Then `c` is not written and may be null;
  /// otherwise `run` changes the tile in place, which is then (rounded and) stored in `c`.
  bool stores = false;
  /// What an element costs, in multiplications of the product: for the share of a thread.
  std::int64_t work = 0;
};

/// c = a @ b: a is m x k, b is k x n, c is m x n with its columns contiguous. c overlaps neither.
struct Product {
  Dtype dtype = Dtype::float32;
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  ProductOperand a;
  ProductOperand b;
  void* c = nullptr;
  std::int64_t c_row_stride = 0;
  BatchDims batch_sizes{1, 1, 1, 1};
  BatchDims c_batch_strides{};
  Epilogue epilogue;
};

/// Computes the product, in the threads of the pool where that pays.
///
/// Orders (docs/numerics.md): an element is a chain of fma in rising k over blocks of 384, the
/// block sums added in order; with n = 1 it is the canonical sum of the products. 16-bit floats are
/// widened to float32 and rounded at the end; integers wrap.
/// Errors: DtypeError if the dtype is bool
void run_product(const Product& product);

/// The length of a block of k; part of the definition of the result.
inline constexpr std::int64_t kProductBlock = 384;

}  // namespace rondo::codegen
