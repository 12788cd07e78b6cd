#include "codegen/product/product.h"

#include <algorithm>
#include <cstddef>
#include <memory>

#include "codegen/product/kernels.h"
#include "codegen/round_up.h"
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

Index offset_of(Index batch, const BatchDims& sizes, const BatchDims& strides) {
  if (batch == 0) {
    return 0;
  }
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

// How each matrix is cut: rows and columns of a part, and the parts that this makes.
struct Split {
  Index rows = 0;
  Index cols = 0;
  Index row_parts = 1;
  Index col_parts = 1;
};

// Halves the longer side until there are `parts` parts, in units that kernels like.
Split choose_split(const Product& p, Index parts) {
  constexpr Index kColumnUnit = 64;
  constexpr Index kRowUnit = 24;
  Split split{p.m, p.n};
  while (split.row_parts * split.col_parts < parts) {
    if (split.cols >= split.rows && split.cols > kColumnUnit) {
      split.cols = round_up((split.cols + 1) / 2, kColumnUnit);
    } else if (split.rows > kRowUnit) {
      split.rows = round_up((split.rows + 1) / 2, kRowUnit);
    } else if (split.cols > kColumnUnit) {
      split.cols = round_up((split.cols + 1) / 2, kColumnUnit);
    } else {
      break;
    }
    split.row_parts = divide_up(p.m, split.rows);
    split.col_parts = divide_up(p.n, split.cols);
  }
  return split;
}

// Cuts each matrix of the batch into parts and runs them in the pool.
void run_parts(const Product& p, Index batches, const Split& split) {
  const Index parts = batches * split.row_parts * split.col_parts;
  parallel_for(parts, 1, [&](Index begin, Index end) {
    for (Index part = begin; part < end; ++part) {
      const Index col = part % split.col_parts * split.cols;
      const Index row = part / split.col_parts % split.row_parts * split.rows;
      const Index batch = part / split.col_parts / split.row_parts;
      run_region(p, region_of(p, batch, row, std::min(split.rows, p.m - row), col,
                              std::min(split.cols, p.n - col)));
    }
  });
}

// Many steps of k and few elements: the blocks of k are shared out, their sums kept apart and added
// in order.
void run_blocks(const Product& p, Index blocks) {
  const Dtype sum_dtype = compute_dtype(p.dtype);
  const ProductRegion whole = region_of(p, 0, 0, p.m, 0, p.n);
  const std::unique_ptr<char[]> sums(
      new char[static_cast<std::size_t>(size_bytes(sum_dtype, blocks * p.m * p.n))]);
  parallel_for(blocks, 1, [&](Index begin, Index end) {
    for (Index block = begin; block < end; ++block) {
      ProductRegion r = whole;
      r.k_begin = block * kProductBlock;
      r.k_end = std::min(p.k, r.k_begin + kProductBlock);
      r.c = nullptr;
      r.epilogue = nullptr;
      r.sums = advance(static_cast<void*>(sums.get()), sum_dtype, block * p.m * p.n);
      r.sums_row_stride = p.n;
      kernels_for(p.dtype).region(r);
    }
  });
  kernels_for(p.dtype).combine(whole, sums.get(), blocks);
}

Index batch_count(const Product& p) {
  Index batches = 1;
  for (const Index size : p.batch_sizes) {
    batches *= size;
  }
  return batches;
}

}  // namespace

void run_product(const Product& p) {
  check<DtypeError>(kNumeric.contains(p.dtype), "product: dtype is {}; expected a numeric dtype",
                    dtype_name(p.dtype));
  const Index batches = batch_count(p);
  if (batches == 0 || p.m == 0 || p.n == 0) {
    return;
  }
  const Index least_work = worth_a_thread(kWorthAThread);
  constexpr Index kMostSums = 1 << 22;  // elements of block sums that are kept apart
  const Index work = batches * p.m * p.n * (p.k + p.epilogue.work);
  if (work < 2 * least_work || in_parallel_region() || num_threads() == 1) {
    const FloatEnvironment environment;
    for (Index batch = 0; batch < batches; ++batch) {
      run_region(p, region_of(p, batch, 0, p.m, 0, p.n));
    }
    return;
  }
  // Twice as many parts as threads even out what else the machine does.
  const Index wanted = std::min<Index>(2 * num_threads(), work / least_work);
  const Split split = choose_split(p, divide_up(wanted, batches));
  const Index blocks = divide_up(p.k, kProductBlock);
  // A part reads its rows and columns whole, a block of k its share of both.
  const bool is_deep = blocks >= num_threads() && p.k >= 4 * (p.m + p.n);
  const bool has_few_parts = batches * split.row_parts * split.col_parts < num_threads();
  if ((has_few_parts || is_deep) && blocks > 1 && p.n > 1 && batches == 1 && is_floating(p.dtype) &&
      blocks * p.m * p.n <= kMostSums) {
    const FloatEnvironment environment;
    run_blocks(p, blocks);
    return;
  }
  run_parts(p, batches, split);
}

}  // namespace rondo::codegen
