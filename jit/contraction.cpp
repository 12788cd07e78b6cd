#include "jit/contraction.h"

#include <algorithm>

#include "core/base/error.h"

namespace rondo::jit {
namespace {

void run_epilogue(const void* context, const codegen::ProductTile& tile) {
  const auto* epilogue = static_cast<const EpilogueContext*>(context);
  launch_tile(epilogue->kernel, epilogue->data, epilogue->scalars, epilogue->tile_operand, tile);
}

/// One operand of a product: its matrix and its strides along the batch axes of the result.
codegen::ProductOperand operand(const Tensor& t, bool left, int batch_rank) {
  codegen::ProductOperand result;
  result.data = t.storage()->raw_data() + size_bytes(t.dtype(), t.offset());
  const int rank = t.rank();
  if (rank == 1) {
    result.row_stride = left ? 0 : t.strides()[0];
    result.col_stride = left ? t.strides()[0] : 0;
    return result;
  }
  result.row_stride = t.strides()[rank - 2];
  result.col_stride = t.strides()[rank - 1];
  const int lead = batch_rank - (rank - 2);
  for (int d = 0; d < rank - 2; ++d) {
    const auto at = static_cast<std::size_t>(codegen::kProductBatchRank - batch_rank + d + lead);
    result.batch_strides[at] = t.shape()[d] == 1 ? 0 : t.strides()[d];
  }
  return result;
}

void run_matmul(const OpArgs& args, const Shape& shape, const Tensor* output,
                const EpilogueContext* epilogue) {
  const Tensor& a = args.inputs[0];
  const Tensor& b = args.inputs[1];
  codegen::Product product;
  product.dtype = a.dtype();
  product.m = a.rank() > 1 ? a.shape()[a.rank() - 2] : 1;
  product.n = b.rank() > 1 ? b.shape().back() : 1;
  product.k = a.shape().back();
  const int batch_rank = shape.rank() - (a.rank() > 1 ? 1 : 0) - (b.rank() > 1 ? 1 : 0);
  check<UnsupportedError>(batch_rank <= codegen::kProductBatchRank,
                          "matmul: {} leading axes; at most {} are supported", batch_rank,
                          codegen::kProductBatchRank);
  product.a = operand(a, true, batch_rank);
  product.b = operand(b, false, batch_rank);
  product.c_row_stride = product.n;
  std::int64_t stride = product.m * product.n;
  for (int d = batch_rank - 1; d >= 0; --d) {
    const auto at = static_cast<std::size_t>(codegen::kProductBatchRank - batch_rank + d);
    product.batch_sizes[at] = shape[d];
    product.c_batch_strides[at] = stride;
    stride *= shape[d];
  }
  if (epilogue != nullptr) {
    product.epilogue = {run_epilogue, epilogue, true};
  } else {
    product.c = output->storage()->raw_data() + size_bytes(output->dtype(), output->offset());
  }
  codegen::run_product(product);
}

}  // namespace

TileAxes tile_axes(const OpInfo& op, int rank_a, int rank_b, int rank) {
  if (op.contraction != Contraction::matmul) {
    return {1, 2};
  }
  const bool columns = rank_b > 1;
  const bool rows = rank_a > 1;
  return {rows ? rank - 1 - (columns ? 1 : 0) : -1, rank - (columns ? 1 : 0)};
}

void contract(const OpArgs& args, const Shape& shape, const Tensor* output,
              const EpilogueContext* epilogue) {
  if (shape.numel() == 0) {
    return;
  }
  invariant(args.op.contraction == Contraction::matmul, "a contraction without a library call");
  run_matmul(args, shape, output, epilogue);
}

}  // namespace rondo::jit
