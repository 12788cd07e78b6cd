#include "jit/contraction.h"

#include <algorithm>

#include "codegen/product/convolution.h"
#include "core/base/error.h"
#include "core/tensor/copy.h"

namespace rondo::jit {
namespace {

void run_epilogue(const void* context, const codegen::ProductTile& tile) {
  const auto* epilogue = static_cast<const EpilogueContext*>(context);
  launch_tile(epilogue->kernel, epilogue->data, epilogue->scalars, epilogue->tile_operand, tile);
}

codegen::Epilogue epilogue_of(const EpilogueContext* context) {
  codegen::Epilogue epilogue;
  if (context != nullptr) {
    epilogue.run = run_epilogue;
    epilogue.context = context;
    epilogue.stores = true;
    epilogue.work = codegen::kWorthAThread / context->kernel.grain;
  }
  return epilogue;
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
  product.epilogue = epilogue_of(epilogue);
  if (epilogue == nullptr) {
    product.c = output->storage()->raw_data() + size_bytes(output->dtype(), output->offset());
  }
  codegen::run_product(product);
}

void* address(const Tensor& t) {
  return t.storage()->raw_data() + size_bytes(t.dtype(), t.offset());
}

/// `input`, `weight` and `output` are the shapes of the forward convolution.
codegen::Convolution geometry(const OpArgs& args, const Shape& input, const Shape& weight,
                              const Shape& output) {
  const Ints& stride = args.attr("stride").as_ints();
  const Ints& padding = args.attr("padding").as_ints();
  const Ints& dilation = args.attr("dilation").as_ints();
  codegen::Convolution c;
  c.dtype = args.inputs[0].dtype();
  c.groups = args.attr("groups").as_int();
  c.batch = input[0];
  c.in_channels = input[1];
  c.in_rows = input[2];
  c.in_cols = input[3];
  c.out_channels = output[1];
  c.out_rows = output[2];
  c.out_cols = output[3];
  c.kernel_rows = weight[2];
  c.kernel_cols = weight[3];
  c.stride_rows = stride[0];
  c.stride_cols = stride[1];
  c.padding_rows = padding[0];
  c.padding_cols = padding[1];
  c.dilation_rows = dilation[0];
  c.dilation_cols = dilation[1];
  return c;
}

/// Runs an epilogue over a whole result of n x c x (h x w) that lies in memory.
void finish_whole(const Tensor& result, const EpilogueContext& epilogue) {
  const Shape& shape = result.shape();
  const std::int64_t cols = shape[2] * shape[3];
  for (std::int64_t n = 0; n < shape[0]; ++n) {
    codegen::ProductTile tile;
    tile.batch = n;
    tile.rows = shape[1];
    tile.cols = cols;
    tile.data =
        static_cast<std::byte*>(address(result)) + size_bytes(result.dtype(), n * shape[1] * cols);
    tile.row_stride = cols;
    run_epilogue(&epilogue, tile);
  }
}

void run_weight_gradient(const OpArgs& args, const Tensor& grad, const Tensor& input,
                         const Shape& shape, const Tensor* output,
                         const EpilogueContext* epilogue) {
  const codegen::Convolution c = geometry(args, input.shape(), shape, grad.shape());
  if (epilogue == nullptr) {
    codegen::run_convolution_weight_gradient(c, address(input), address(grad), address(*output));
    return;
  }
  // The sums run over images, so there is no tile before the end. A tile holds the compute dtype.
  const Tensor whole = Tensor::empty(shape, grad.dtype());
  codegen::run_convolution_weight_gradient(c, address(input), address(grad), address(whole));
  if (compute_dtype(whole.dtype()) == whole.dtype()) {
    finish_whole(whole, *epilogue);
    return;
  }
  const Tensor wide = Tensor::empty(shape, Dtype::float32);
  for (std::int64_t i = 0; i < whole.numel(); ++i) {
    const std::byte* from = whole.storage()->raw_data() + size_bytes(whole.dtype(), i);
    write_element(wide.storage()->raw_data() + size_bytes(Dtype::float32, i), Dtype::float32,
                  read_element(from, whole.dtype()));
  }
  finish_whole(wide, *epilogue);
}

void run_convolution(const OpArgs& args, const Shape& shape, const Tensor* output,
                     const EpilogueContext* epilogue) {
  const Tensor a = contiguous_copy(args.inputs[0]);
  const Tensor b = contiguous_copy(args.inputs[1]);
  void* result = output == nullptr ? nullptr : address(*output);
  const codegen::Epilogue finish = epilogue_of(epilogue);
  switch (args.op.contraction) {
    case Contraction::convolution:
      codegen::run_convolution(geometry(args, a.shape(), b.shape(), shape), address(a), address(b),
                               result, finish);
      return;
    case Contraction::convolution_input:
      codegen::run_convolution_input_gradient(geometry(args, shape, b.shape(), a.shape()),
                                              address(a), address(b), result, finish);
      return;
    default:
      run_weight_gradient(args, a, b, shape, output, epilogue);
  }
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
  if (args.op.contraction == Contraction::matmul) {
    run_matmul(args, shape, output, epilogue);
  } else {
    run_convolution(args, shape, output, epilogue);
  }
}

}  // namespace rondo::jit
