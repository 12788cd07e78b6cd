#include "core/ops/reshape.h"

#include <algorithm>
#include <cstdlib>

#include "core/base/error.h"
#include "core/ops/create.h"
#include "core/ops/reduce.h"
#include "core/ops/scatter.h"

namespace rondo {
namespace {

Tensor shaped_like(const Meta& meta) {
  return zeros(meta.shape, meta.dtype);
}

ViewGeometry geometry_of(const Tensor& t) {
  return {t.shape(), t.strides(), t.offset()};
}

}  // namespace

bool Permute::view(const OpArgs& args, ViewGeometry& result) {
  const Tensor& x = args.inputs[0];
  const Ints& dims = args.attrs[0].as_ints();
  check<ArgumentError>(static_cast<int>(dims.size()) == x.rank(),
                       "permute: {} axes for shape {}; every axis must be named once", dims.size(),
                       x.shape());
  result = geometry_of(x);
  std::uint32_t seen = 0;
  for (int i = 0; i < x.rank(); ++i) {
    const int axis = normalize_axis(dims[static_cast<std::size_t>(i)], x.rank(), "permute");
    check<ArgumentError>(((seen >> axis) & 1U) == 0,
                         "permute: axis {} is named twice; every axis must be named once", axis);
    seen |= 1U << axis;
    result.shape[i] = x.shape()[axis];
    result.strides[i] = x.strides()[axis];
  }
  return true;
}

void Permute::gradient(GradContext& g) {
  const Ints& dims = g.attr("dims").as_ints();
  Ints inverse(dims.size());
  const int rank = static_cast<int>(dims.size());
  for (int i = 0; i < rank; ++i) {
    inverse[static_cast<std::size_t>(
        normalize_axis(dims[static_cast<std::size_t>(i)], rank, "permute"))] = i;
  }
  g.set(0, permute(g.grad(), inverse));
}

bool Transpose::view(const OpArgs& args, ViewGeometry& result) {
  const Tensor& x = args.inputs[0];
  const int a = normalize_axis(args.attrs[0].as_int(), x.rank(), "transpose");
  const int b = normalize_axis(args.attrs[1].as_int(), x.rank(), "transpose");
  result = geometry_of(x);
  if (x.rank() > 0) {
    std::swap(result.shape[a], result.shape[b]);
    std::swap(result.strides[a], result.strides[b]);
  }
  return true;
}

void Transpose::gradient(GradContext& g) {
  g.set(0, transpose(g.grad(), g.attr("dim0").as_int(), g.attr("dim1").as_int()));
}

bool Expand::view(const OpArgs& args, ViewGeometry& result) {
  const Tensor& x = args.inputs[0];
  const Ints& size = args.attrs[0].as_ints();
  const int rank = static_cast<int>(size.size());
  const int lead = rank - x.rank();
  check<ShapeError>(lead >= 0, "expand: {} sizes for shape {}; at least {} are required",
                    size.size(), x.shape(), x.rank());
  result.shape = Shape(size);
  result.strides = Shape::filled(rank, 0);
  result.offset = x.offset();
  for (int i = 0; i < rank; ++i) {
    std::int64_t& want = result.shape[i];
    const std::int64_t have = i < lead ? 1 : x.shape()[i - lead];
    if (want == -1 && i >= lead) {
      want = have;
    }
    check<ShapeError>(want == have || (have == 1 && want >= 0),
                      "expand: shape {} to {}; sizes must be equal, or 1 before, at axis {}",
                      x.shape(), Shape(size), i);
    result.strides[i] = have == want && i >= lead ? x.strides()[i - lead] : 0;
  }
  checked_numel(result.shape, "expand");
  return true;
}

void Expand::gradient(GradContext& g) {
  g.set(0, sum_to(g.grad(), g.meta(0).shape));
}

namespace {

Shape resolve_shape(const Shape& from, const Ints& wanted) {
  Shape shape{std::span<const std::int64_t>(wanted)};
  int free = -1;
  std::int64_t known = 1;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape[i] == -1) {
      check<ShapeError>(free < 0, "reshape: {} to {}; at most one size may be -1", from,
                        Shape(wanted));
      free = i;
    } else {
      check<ShapeError>(!__builtin_mul_overflow(known, shape[i], &known),
                        "reshape: {} to {}; the sizes are too large", from, Shape(wanted));
    }
  }
  const std::int64_t numel = from.numel();
  if (free >= 0) {
    check<ShapeError>(known > 0 && numel % known == 0,
                      "reshape: {} to {}; {} elements do not divide into it", from, Shape(wanted),
                      numel);
    shape[free] = numel / known;
  }
  check<ShapeError>(checked_numel(shape, "reshape") == numel,
                    "reshape: {} to {}; the number of elements must stay {}", from, Shape(wanted),
                    numel);
  return shape;
}

/// Strides of `shape` over the same elements, or false if there are none (NumPy's rule).
bool reshape_strides(const Tensor& x, const Shape& shape, Shape& strides) {
  strides = contiguous_strides(shape);
  if (x.numel() == 0 || x.is_contiguous()) {
    return true;
  }
  // Axes of size 1 have any stride: they must not join the runs of their neighbours.
  Shape sizes;
  Shape steps;
  for (int i = 0; i < x.rank(); ++i) {
    if (x.shape()[i] != 1) {
      sizes.push_back(x.shape()[i]);
      steps.push_back(x.strides()[i]);
    }
  }
  int to = shape.rank() - 1;
  for (int from = sizes.rank() - 1; from >= 0; --from) {
    // A run of source axes that is contiguous in itself.
    std::int64_t run = sizes[from];
    std::int64_t stride = steps[from];
    while (from > 0 && steps[from - 1] == steps[from] * sizes[from]) {
      --from;
      run *= sizes[from];
    }
    for (; run > 1; --to) {
      if (run % shape[to] != 0) {
        return false;
      }
      strides[to] = stride;
      stride *= shape[to];
      run /= shape[to];
    }
  }
  return true;
}

}  // namespace

bool Reshape::view(const OpArgs& args, ViewGeometry& result) {
  const Tensor& x = args.inputs[0];
  result.shape = resolve_shape(x.shape(), args.attrs[0].as_ints());
  result.offset = x.offset();
  return reshape_strides(x, result.shape, result.strides);
}

void Reshape::gradient(GradContext& g) {
  g.set(0, reshape(g.grad(), g.meta(0).shape));
}

void ViewOf::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Tensor source = materialize(args.inputs[0]);
  const Tensor result = reshape(source, args.attrs[0]);
  check<ShapeError>(result.storage() == source.storage(),
                    "view: the strides {} of shape {} allow no view of shape {}; use reshape, "
                    "which copies",
                    source.strides(), source.shape(), result.shape());
  outputs.push_back(result);
}

bool Unsqueeze::view(const OpArgs& args, ViewGeometry& result) {
  const Tensor& x = args.inputs[0];
  const int axis = normalize_axis(args.attrs[0].as_int(), x.rank() + 1, "unsqueeze");
  result = geometry_of(x);
  const std::int64_t stride = axis < x.rank() ? x.strides()[axis] * x.shape()[axis] : 1;
  result.shape.insert(axis, 1);
  result.strides.insert(axis, stride);
  return true;
}

void Unsqueeze::gradient(GradContext& g) {
  g.set(0, reshape(g.grad(), g.meta(0).shape));
}

bool Squeeze::view(const OpArgs& args, ViewGeometry& result) {
  const Tensor& x = args.inputs[0];
  std::uint32_t mask = (1U << x.rank()) - 1U;
  if (!args.attrs[0].is_none()) {
    mask = 0;
    for (const std::int64_t axis : args.attrs[0].as_ints()) {
      mask |= 1U << normalize_axis(axis, x.rank(), "squeeze");
    }
  }
  result.offset = x.offset();
  for (int i = 0; i < x.rank(); ++i) {
    if (x.shape()[i] != 1 || ((mask >> i) & 1U) == 0) {
      result.shape.push_back(x.shape()[i]);
      result.strides.push_back(x.strides()[i]);
    }
  }
  return true;
}

void Squeeze::gradient(GradContext& g) {
  g.set(0, reshape(g.grad(), g.meta(0).shape));
}

namespace {

/// First place and end of a slice whose attributes are dim, start, end and step, in an axis of
/// `size`.
std::pair<std::int64_t, std::int64_t> slice_range(std::span<const Attr> attrs, std::int64_t size) {
  const std::int64_t step = attrs[3].as_int();
  const std::int64_t low = step > 0 ? 0 : -1;
  const std::int64_t high = step > 0 ? size : size - 1;
  const auto bound = [&](const Attr& attr, std::int64_t fallback) {
    if (attr.is_none()) {
      return fallback;
    }
    const std::int64_t i = attr.as_int() < 0 ? attr.as_int() + size : attr.as_int();
    return std::clamp(i, low, high);
  };
  return {bound(attrs[1], step > 0 ? low : high), bound(attrs[2], step > 0 ? high : low)};
}

}  // namespace

bool Slice::view(const OpArgs& args, ViewGeometry& result) {
  const Tensor& x = args.inputs[0];
  check<IndexError>(x.rank() > 0,
                    "slice: a tensor of rank 0 has no axes; index it with None or ...");
  const int axis = normalize_axis(args.attrs[0].as_int(), x.rank(), "slice");
  check<ArgumentError>(args.attrs[3].as_int() != 0, "slice: the step is 0; it must not be");
  // Steps over the whole axis all give one element.
  const std::int64_t longest = std::max<std::int64_t>(x.shape()[axis], 1);
  const std::int64_t step = std::clamp(args.attrs[3].as_int(), -longest, longest);
  const auto [start, end] = slice_range(args.attrs, x.shape()[axis]);
  const std::int64_t span = step > 0 ? end - start : start - end;
  result = geometry_of(x);
  result.shape[axis] = span <= 0 ? 0 : (span + std::abs(step) - 1) / std::abs(step);
  result.strides[axis] = x.strides()[axis] * step;
  result.offset += result.shape[axis] == 0 ? 0 : x.strides()[axis] * start;
  return true;
}

void Slice::gradient(GradContext& g) {
  const Shape& shape = g.meta(0).shape;
  const int dim = normalize_axis(g.attr("dim").as_int(), shape.rank(), "slice");
  if (g.attr("step").as_int() == 1 && g.grad().numel() > 0) {
    g.set(0, {g.grad(), dim, slice_range(g.attrs(), shape[dim]).first});
    return;
  }
  const Tensor zero = shaped_like(g.meta(0));
  g.set(0, slice_scatter(zero, g.grad(), g.attr("dim"), g.attr("start"), g.attr("end"),
                         g.attr("step")));
}

bool Select::view(const OpArgs& args, ViewGeometry& result) {
  const Tensor& x = args.inputs[0];
  check<IndexError>(x.rank() > 0, "select: a tensor of rank 0 has no axes; use item()");
  const int axis = normalize_axis(args.attrs[0].as_int(), x.rank(), "select");
  const std::int64_t index = args.attrs[1].as_int();
  const std::int64_t size = x.shape()[axis];
  check<IndexError>(index >= -size && index < size,
                    "select: index {} is out of range for axis {} of shape {}; expected {} to {}",
                    index, axis, x.shape(), -size, size - 1);
  result = geometry_of(x);
  result.offset += x.strides()[axis] * (index < 0 ? index + size : index);
  result.shape.erase(axis);
  result.strides.erase(axis);
  return true;
}

void Select::gradient(GradContext& g) {
  const Shape& shape = g.meta(0).shape;
  const int dim = normalize_axis(g.attr("dim").as_int(), shape.rank(), "select");
  const std::int64_t index = g.attr("index").as_int();
  g.set(0, {unsqueeze(g.grad(), dim), dim, index < 0 ? index + shape[dim] : index});
}

bool AsStrided::view(const OpArgs& args, ViewGeometry& result) {
  const Tensor& x = args.inputs[0];
  result.shape = Shape(args.attrs[0].as_ints());
  result.strides = Shape(args.attrs[1].as_ints());
  result.offset = args.attrs[2].as_int();
  check<ShapeError>(result.shape.rank() == result.strides.rank(),
                    "as_strided: {} sizes and {} strides; as many of both are required",
                    result.shape.rank(), result.strides.rank());
  const bool empty = checked_numel(result.shape, "as_strided") == 0;
  std::int64_t low = result.offset;
  std::int64_t high = result.offset;
  bool fits = true;
  for (int i = 0; i < result.shape.rank() && !empty; ++i) {
    std::int64_t reach = 0;
    fits = fits && !__builtin_mul_overflow(result.shape[i] - 1, result.strides[i], &reach);
    std::int64_t& end = reach < 0 ? low : high;
    fits = fits && !__builtin_add_overflow(end, reach, &end);
  }
  const std::int64_t elements = x.storage()->bytes() * 8 / dtype_bits(x.dtype());
  check<ShapeError>(
      fits && (empty || (low >= 0 && high < elements)),
      "as_strided: shape {} with strides {} at {} reaches elements {} to {}; the storage has {}",
      result.shape, result.strides, result.offset, low, high, elements);
  if (empty) {  // no element is reached: what is kept has no effect
    result.strides = contiguous_strides(result.shape);
    result.offset = x.offset();
  }
  return true;
}

void AsStrided::gradient(GradContext& g) {
  g.set(0, as_strided_scatter(shaped_like(g.meta(0)), g.grad(), g.attr("size"), g.attr("stride"),
                              g.attr("storage_offset")));
}

}  // namespace rondo
