#include "codegen/product/product.h"

#include <algorithm>

#include "codegen/product/kernels.h"
#include "core/base/error.h"
#include "core/base/float_environment.h"
#include "core/base/isa.h"
#include "core/base/thread_pool.h"

namespace rondo::codegen {
namespace {

using Index = std::int64_t;

const ProductKernels& kernels_for(Dtype dtype) {
  return current_isa() == Isa::v4 ? v4::product_kernels(dtype) : v3::product_kernels(dtype);
}

const void* advance(const void* data, Dtype dtype, Index elements) {
  return static_cast<const char*>(data) + size_bytes(dtype, elements);
}
void* advance(void* data, Dtype dtype, Index elements) {
  return data == nullptr ? nullptr : static_cast<char*>(data) + size_bytes(dtype, elements);
}

Index offset_of(Index batch, const BatchDims& sizes, const BatchDims& strides) {
  Index offset = 0;
  for (std::size_t d = kProductBatchRank; d-- > 0;) {
    offset += batch % sizes[d] * strides[d];
    batch /= sizes[d];
  }
  return offset;
}

// The part of matrix `batch` with rows [row, row + rows) and columns [col, col + cols).
ProductRegion region_of(const Product& p, Index batch, Index row, Index rows, Index col,
                        Index cols) {
  ProductRegion r;
  r.m = rows;
  r.n = cols;
  r.k_end = p.k;
  const Index a = offset_of(batch, p.batch_sizes, p.a.batch_strides) + row * p.a.row_stride;
  const Index b = offset_of(batch, p.batch_sizes, p.b.batch_strides) + col * p.b.col_stride;
  const Index c = offset_of(batch, p.batch_sizes, p.c_batch_strides) + row * p.c_row_stride + col;
  r.a = advance(p.a.data, p.dtype, a);
  r.a_row_stride = p.a.row_stride;
  r.a_col_stride = p.a.col_stride;
  r.b = advance(p.b.data, p.dtype, b);
  r.b_row_stride = p.b.row_stride;
  r.b_col_stride = p.b.col_stride;
  r.c = p.epilogue.stores ? nullptr : advance(p.c, p.dtype, c);
  r.c_row_stride = p.c_row_stride;
  r.epilogue = p.epilogue.run != nullptr ? &p.epilogue : nullptr;
  r.first.batch = batch;
  r.first.row = row;
  r.first.col = col;
  return r;
}

void run_region(const Product& p, const ProductRegion& region) {
  if (is_integral(p.dtype)) {
    integer_region(p.dtype, region);
  } else if (p.n == 1) {
    kernels_for(p.dtype).dots(region);
  } else {
    kernels_for(p.dtype).region(region);
  }
}

// How a product is cut: rows and columns of each part.
struct Split {
  Index rows = 0;
  Index cols = 0;
};

Split choose_split(const Product& p, Index batches) {
  constexpr Index kLeastWork = 1 << 18;  // multiplications that are worth a thread
  constexpr Index kColumnUnit = 64;
  constexpr Index kRowUnit = 24;
  Split split{p.m, p.n};
  const Index work = batches * p.m * p.n * std::max<Index>(p.k, 1);
  Index wanted = std::min<Index>(num_threads(), work / kLeastWork) / batches;
  while (wanted > 1) {
    if (split.cols >= split.rows && split.cols > kColumnUnit) {
      split.cols = ((split.cols + 1) / 2 + kColumnUnit - 1) / kColumnUnit * kColumnUnit;
    } else if (split.rows > kRowUnit) {
      split.rows = ((split.rows + 1) / 2 + kRowUnit - 1) / kRowUnit * kRowUnit;
    }
    wanted /= 2;
  }
  return split;
}

}  // namespace

void run_product(const Product& p) {
  check<DtypeError>(kNumeric.contains(p.dtype), "product: dtype is {}; expected a numeric dtype",
                    dtype_name(p.dtype));
  Index batches = 1;
  for (const Index size : p.batch_sizes) {
    batches *= size;
  }
  if (batches == 0 || p.m == 0 || p.n == 0) {
    return;
  }
  const Split split = choose_split(p, batches);
  const Index row_parts = (p.m + split.rows - 1) / split.rows;
  const Index col_parts = (p.n + split.cols - 1) / split.cols;
  const Index parts = batches * row_parts * col_parts;
  const auto run_part = [&](Index part) {
    const Index col = part % col_parts * split.cols;
    const Index row = part / col_parts % row_parts * split.rows;
    const Index batch = part / col_parts / row_parts;
    run_region(p, region_of(p, batch, row, std::min(split.rows, p.m - row), col,
                            std::min(split.cols, p.n - col)));
  };
  if (parts == 1) {
    const FloatEnvironment environment;
    run_part(0);
    return;
  }
  parallel_for(parts, 1, [&](Index begin, Index end) {
    for (Index part = begin; part < end; ++part) {
      run_part(part);
    }
  });
}

}  // namespace rondo::codegen
