#include "core/ops/reduce.h"

#include "core/ops/arithmetic.h"
#include "core/ops/blend.h"
#include "core/ops/compare.h"
#include "core/ops/create.h"
#include "core/ops/join.h"
#include "core/ops/reshape.h"

namespace rondo {
namespace {

/// The axes that a reduction with a gradient has removed.
std::uint32_t removed_axes(const GradContext& g) {
  return reduction_axes(g.attr("dim"), g.meta(0).shape.rank(), "backward");
}

std::int64_t reduced_count(const GradContext& g) {
  return g.meta(0).shape.numel() / std::max<std::int64_t>(g.grad().numel(), 1);
}

/// Equal extreme elements share the gradient, as in PyTorch.
void extreme_gradient(GradContext& g) {
  const Tensor mask = eq(g.input("input"), restore_axes(g, g.output()));
  const Tensor weights = to_dtype(mask, compute_dtype(g.grad().dtype()));
  const Tensor count = sum(weights, g.attr("dim"), true);
  g.set("input", chain(restore_axes(g, g.grad()), weights / count));
}

}  // namespace

Tensor restore_axes(const GradContext& g, const Tensor& reduced) {
  const Shape& shape = g.meta(0).shape;
  if (g.attr("keepdim").as_bool() || shape.rank() == 0) {
    return reduced;
  }
  const std::uint32_t axes = removed_axes(g);
  Tensor result = reduced;
  for (int i = 0; i < shape.rank(); ++i) {
    if (((axes >> i) & 1U) != 0) {
      result = unsqueeze(result, i);
    }
  }
  return result;
}

void Sum::gradient(GradContext& g) {
  g.set("input", expand(restore_axes(g, g.grad()), g.meta(0).shape));
}

void Mean::gradient(GradContext& g) {
  const Tensor scaled = g.grad() / static_cast<double>(reduced_count(g));
  g.set("input", expand(restore_axes(g, scaled), g.meta(0).shape));
}

void MeanCorrected::gradient(GradContext& g) {
  const double correction = g.input("correction").item().to_double();
  const double divisor = std::max(static_cast<double>(reduced_count(g)) - correction, 0.0);
  g.set("input", expand(restore_axes(g, g.grad() / divisor), g.meta(0).shape));
}

void Amax::gradient(GradContext& g) {
  extreme_gradient(g);
}

void Amin::gradient(GradContext& g) {
  extreme_gradient(g);
}

void Norm2::gradient(GradContext& g) {
  const Tensor norm = restore_axes(g, wide(g.output()));
  const Tensor divisor = where(eq(norm, 0), 1, norm);
  g.set("input", chain(restore_axes(g, g.grad()), g.input("input") / divisor));
}

namespace {

/// For each element of the rows of `x` [rows, n] the product of the others, without a division: up
/// and down a tree of pairs, so that derivatives of any order are exact where elements are 0.
Tensor products_of_others(const Tensor& x) {
  std::vector<Tensor> levels;  // each with an even number of columns
  Tensor level = x;
  const auto column = [](const Tensor& t, int first) {
    return slice(t, 1, first, std::nullopt, 2);
  };
  while (level.shape()[1] > 1) {
    if (level.shape()[1] % 2 != 0) {
      level = cat(std::vector<Tensor>{level, ones({level.shape()[0], 1}, x.dtype())}, 1);
    }
    levels.push_back(level);
    level = column(level, 0) * column(level, 1);
  }
  Tensor others = ones({x.shape()[0], 1}, x.dtype());
  for (auto pairs = levels.rbegin(); pairs != levels.rend(); ++pairs) {
    const std::vector<Tensor> both{others * column(*pairs, 1), others * column(*pairs, 0)};
    const std::int64_t width =
        std::next(pairs) == levels.rend() ? x.shape()[1] : std::next(pairs)->shape()[1] / 2;
    others = slice(reshape(stack(both, 2), pairs->shape()), 1, 0, width);
  }
  return others;
}

}  // namespace

void Prod::gradient(GradContext& g) {
  const Tensor x = to_dtype(wide(g.input("input")), compute_dtype(g.grad().dtype()));
  const std::uint32_t axes = removed_axes(g);
  Ints order;
  Ints inverse(static_cast<std::size_t>(x.rank()));
  for (const bool removed : {false, true}) {
    for (int i = 0; i < x.rank(); ++i) {
      if ((((axes >> i) & 1U) != 0) == removed) {
        inverse[static_cast<std::size_t>(i)] = static_cast<std::int64_t>(order.size());
        order.push_back(i);
      }
    }
  }
  const Tensor moved = permute(x, order);
  if (x.numel() == 0) {
    g.set("input", zeros(x.shape(), x.dtype()));
    return;
  }
  const Tensor rows = reshape(moved, Shape{x.numel() / reduced_count(g), reduced_count(g)});
  const Tensor others = permute(reshape(products_of_others(rows), moved.shape()), inverse);
  g.set("input", chain(restore_axes(g, g.grad()), others));
}

Tensor sum_to(const Tensor& tensor, const Shape& shape) {
  if (tensor.shape() == shape) {
    return tensor;
  }
  if (tensor.numel() == shape.numel()) {
    return reshape(tensor, shape);
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
