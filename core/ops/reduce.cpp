#include "core/ops/reduce.h"

#include "core/ops/arithmetic.h"
#include "core/ops/compare.h"
#include "core/ops/create.h"
#include "core/ops/reshape.h"

namespace rondo {
namespace {

/// A reduced tensor with its removed axes put back as size 1.
Tensor restore_axes(const GradContext& g, const Tensor& reduced) {
  const Shape& shape = g.meta(0).shape;
  if (g.attr("keepdim").as_bool() || shape.rank() == 0) {
    return reduced;
  }
  const Tensor like = Tensor::empty(shape, Dtype::float32, {DeviceType::meta, 0});
  const std::vector<Attr> attrs{g.attr("dim")};
  const std::uint32_t axes = reduction_axes({info<Sum>(), {&like, 1}, attrs});
  Tensor result = reduced;
  for (int i = 0; i < shape.rank(); ++i) {
    if (((axes >> i) & 1U) != 0) {
      result = unsqueeze(result, i);
    }
  }
  return result;
}

std::int64_t reduced_count(const GradContext& g) {
  return g.meta(0).shape.numel() / std::max<std::int64_t>(g.grad().numel(), 1);
}

}  // namespace

void Sum::gradient(GradContext& g) {
  g.set("input", expand(restore_axes(g, g.grad()), g.meta(0).shape));
}

void Mean::gradient(GradContext& g) {
  const Tensor scaled = g.grad() / static_cast<double>(reduced_count(g));
  g.set("input", expand(restore_axes(g, scaled), g.meta(0).shape));
}

void Amax::gradient(GradContext& g) {
  // Equal largest elements share the gradient, as in PyTorch.
  const Tensor mask = eq(g.input("input"), restore_axes(g, g.output()));
  const Tensor weights = to_dtype(mask, g.grad().dtype());
  const Tensor count = sum(weights, g.attr("dim"), true);
  g.set("input", weights * (restore_axes(g, g.grad()) / count));
}

Tensor sum_to(const Tensor& tensor, const Shape& shape) {
  if (tensor.shape() == shape) {
    return tensor;
  }
  const int lead = tensor.rank() - shape.rank();
  Ints axes;
  for (int i = 0; i < tensor.rank(); ++i) {
    if (i < lead || (shape[i - lead] == 1 && tensor.shape()[i] != 1)) {
      axes.push_back(i);
    }
  }
  const Tensor result = sum(tensor, axes, true, tensor.dtype());
  return lead == 0 ? result : reshape(result, shape);
}

}  // namespace rondo
