#include "core/ops/matmul.h"

#include "core/base/error.h"
#include "core/ops/reduce.h"
#include "core/ops/reshape.h"

namespace rondo {

void Matmul::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  const Tensor& a = args.inputs[0];
  const Tensor& b = args.inputs[1];
  check<ShapeError>(a.rank() > 0 && b.rank() > 0,
                    "matmul: a is {}, b is {}; both need at least one axis", a.shape(), b.shape());
  check_dtype(args.op, "input", a.dtype());
  check<DtypeError>(a.dtype() == b.dtype(), "matmul: a is {}, b is {}; the dtypes must be equal",
                    dtype_name(a.dtype()), dtype_name(b.dtype()));
  const std::int64_t k = a.shape().back();
  const std::int64_t kb = b.rank() == 1 ? b.shape()[0] : b.shape()[b.rank() - 2];
  check<ShapeError>(
      k == kb, "matmul: inner sizes differ: a is {}, b is {}; a.shape[-1] must equal b.shape[{}]",
      a.shape(), b.shape(), b.rank() == 1 ? -1 : -2);
  const auto lead = [](const Tensor& t) {
    return Shape(t.shape().span().first(static_cast<std::size_t>(std::max(t.rank() - 2, 0))));
  };
  Shape shape = broadcast_shapes(lead(a), lead(b), "matmul");
  if (a.rank() > 1) {
    shape.push_back(a.shape()[a.rank() - 2]);
  }
  if (b.rank() > 1) {
    shape.push_back(b.shape().back());
  }
  outputs.push_back({shape, a.dtype()});
}

namespace {

/// a @ b, computed as (b.T @ a.T).T where the result is to lie transposed in memory: the gradient
/// of a transposed weight then lies as the weight does. Equal bits: both products have more than
/// one column, so both are the same chains.
Tensor product_like(const InputMeta& meta, const Tensor& a, const Tensor& b) {
  return meta.transposed ? transpose(matmul(transpose(b, -2, -1), transpose(a, -2, -1)), -2, -1)
                         : matmul(a, b);
}

}  // namespace

void Matmul::gradient(GradContext& g) {
  // Vectors are treated as matrices of one row or column.
  const bool row = g.meta(0).shape.rank() == 1;
  const bool column = g.meta(1).shape.rank() == 1;
  Tensor grad = g.grad();
  grad = column ? unsqueeze(grad, -1) : grad;
  grad = row ? unsqueeze(grad, -2) : grad;
  if (g.needs("input")) {
    const Tensor b = column ? unsqueeze(g.input("other"), -1) : g.input("other");
    const Tensor da = product_like(g.meta(0), grad, transpose(b, -2, -1));
    g.set("input", row ? squeeze(da, -2) : da);
  }
  if (g.needs("other") && g.meta(1).shape.rank() == 2 && g.meta(0).shape.rank() > 2) {
    // One product over all leading axes instead of a batch of products that is summed.
    const Shape& b = g.meta(1).shape;
    Shape lead = g.meta(0).shape;
    lead.erase(lead.rank() - 1);
    const std::int64_t rows = lead.numel();
    const Tensor a = reshape(g.input("input"), Shape{rows, b[0]});
    g.set("other", product_like(g.meta(1), transpose(a, 0, 1), reshape(grad, Shape{rows, b[1]})));
  } else if (g.needs("other")) {
    const Tensor a = row ? unsqueeze(g.input("input"), 0) : g.input("input");
    const Tensor db = product_like(g.meta(1), transpose(a, -2, -1), grad);
    g.set("other", column ? squeeze(db, -1) : db);
  }
}

}  // namespace rondo
