#include "core/ops/advanced_index.h"

#include "core/base/error.h"
#include "core/ops/blend.h"
#include "core/ops/compare.h"
#include "core/ops/create.h"
#include "core/ops/index_loops.h"
#include "core/ops/reshape.h"
#include "core/tensor/copy.h"

namespace rondo {
namespace {

using detail::AxisSplit;

/// How integer indices meet the axes of a tensor: it is seen as [before, indexed, after], where the
/// indexed axes are adjacent, first if they were not.
struct Plan {
  std::vector<int> order;    // the axes of the tensor, indexed ones adjacent
  std::vector<int> indexed;  // the indexed axes, rising
  int before = 0;            // axes in front of them
  Shape broadcast;           // of the indices
  bool moved = false;        // order is not 0, 1, 2, ...

  Shape result(const Shape& whole) const {
    Shape shape;
    for (int i = 0; i < before; ++i) {
      shape.push_back(whole[order[static_cast<std::size_t>(i)]]);
    }
    for (const std::int64_t size : broadcast) {
      shape.push_back(size);
    }
    for (std::size_t i = static_cast<std::size_t>(before) + indexed.size(); i < order.size(); ++i) {
      shape.push_back(whole[order[i]]);
    }
    return shape;
  }

  AxisSplit split(const Shape& whole) const {
    AxisSplit split;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::size_t begin = static_cast<std::size_t>(before);
      std::int64_t& part =
          i < begin ? split.outer : (i < begin + indexed.size() ? split.size : split.inner);
      part *= whole[order[i]];
    }
    return split;
  }
};

Plan make_plan(const OpInfo& op, const Shape& whole, std::span<const Tensor> indices) {
  check<IndexError>(static_cast<int>(indices.size()) <= whole.rank(),
                    "{}: {} indices for shape {}; at most one for each axis is taken", op.name,
                    indices.size(), whole);
  Plan plan;
  for (int i = 0; i < static_cast<int>(indices.size()); ++i) {
    const Tensor& index = indices[static_cast<std::size_t>(i)];
    if (index.defined()) {
      detail::check_index_dtype(op, "an index", index);
      plan.broadcast = plan.indexed.empty()
                           ? index.shape()
                           : broadcast_shapes(plan.broadcast, index.shape(), op.name);
      plan.indexed.push_back(i);
    }
  }
  check<ArgumentError>(!plan.indexed.empty(), "{}: all indices are None; one is required", op.name);
  const int first = plan.indexed.front();
  const int count = static_cast<int>(plan.indexed.size());
  plan.moved = plan.indexed.back() - first + 1 != count;
  plan.before = plan.moved ? 0 : first;
  std::vector<int> others;
  for (int i = 0; i < whole.rank(); ++i) {
    if (std::find(plan.indexed.begin(), plan.indexed.end(), i) == plan.indexed.end()) {
      others.push_back(i);
    }
  }
  plan.order = others;
  plan.order.insert(plan.order.begin() + plan.before, plan.indexed.begin(), plan.indexed.end());
  return plan;
}

/// The places that the indices name among the indexed axes, in row-major order.
detail::Places linear_places(const OpInfo& op, const Plan& plan, const Shape& whole,
                             std::span<const Tensor> indices) {
  if (plan.indexed.size() == 1) {
    const int axis = plan.indexed[0];
    return {indices[static_cast<std::size_t>(axis)],
            {.op = op.name, .axis = axis, .size = whole[axis], .wraps = true}};
  }
  std::vector<std::int64_t> places(static_cast<std::size_t>(plan.broadcast.numel()), 0);
  for (const int axis : plan.indexed) {
    const Tensor& index = indices[static_cast<std::size_t>(axis)];
    ViewGeometry geometry;
    const std::vector<Attr> attrs{Attr(Ints(plan.broadcast.begin(), plan.broadcast.end()))};
    const Tensor stored = detail::dense(index);
    Expand::view({info<Expand>(), {&stored, 1}, attrs}, geometry);
    const Tensor expanded = Tensor::view_of(stored.storage(), geometry.shape, geometry.strides,
                                            geometry.offset, stored.dtype());
    const detail::Places along(expanded,
                               {.op = op.name, .axis = axis, .size = whole[axis], .wraps = true});
    for (std::size_t i = 0; i < places.size(); ++i) {
      places[i] = places[i] * whole[axis] + along.begin()[i];
    }
  }
  return detail::Places(std::move(places));
}

}  // namespace

void IndexTake::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  const Tensor& input = args.inputs[0];
  const Plan plan = make_plan(args.op, input.shape(), args.inputs.subspan(1));
  outputs.push_back({plan.result(input.shape()), input.dtype()});
}

void IndexTake::run(const OpArgs& args, std::span<Tensor> outputs) {
  const Tensor& input = args.inputs[0];
  const std::span<const Tensor> indices = args.inputs.subspan(1);
  const Plan plan = make_plan(args.op, input.shape(), indices);
  const Tensor source = detail::dense(detail::permuted(input, plan.order));
  detail::select_rows(outputs[0], source, plan.split(input.shape()),
                      linear_places(args.op, plan, input.shape(), indices));
}

void IndexTake::gradient(GradContext& g) {
  std::vector<Tensor> indices;
  for (int i = 1; i < g.inputs(); ++i) {
    indices.push_back(g.input(i));
  }
  const Tensor zero = zeros(g.meta(0).shape, g.grad().dtype());
  g.set("input", index_replace(zero, g.grad(), true, indices));
}

void IndexReplace::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  const Tensor& input = args.inputs[0];
  const Tensor& values = args.inputs[1];
  const Plan plan = make_plan(args.op, input.shape(), args.inputs.subspan(2));
  const Shape shape = plan.result(input.shape());
  check<ShapeError>(values.shape() == shape, "{}: values are {}; expected {}", args.op.name,
                    values.shape(), shape);
  check<DtypeError>(values.dtype() == input.dtype(), "{}: values are {}; expected {} as input",
                    args.op.name, dtype_name(values.dtype()), dtype_name(input.dtype()));
  outputs.push_back({input.shape(), input.dtype()});
}

void IndexReplace::run(const OpArgs& args, std::span<Tensor> outputs) {
  const Tensor& input = args.inputs[0];
  const std::span<const Tensor> indices = args.inputs.subspan(2);
  const Plan plan = make_plan(args.op, input.shape(), indices);
  const AxisSplit split = plan.split(input.shape());
  const detail::Places places = linear_places(args.op, plan, input.shape(), indices);
  copy_elements(outputs[0], detail::stored(input));
  const Tensor part = detail::permuted(outputs[0], plan.order);
  const Tensor target = plan.moved ? detail::dense(part) : part;
  const Tensor values = detail::dense(args.inputs[1]);
  (args.attrs[0].as_bool() ? detail::add_rows : detail::put_rows)(target, values, split, places);
  if (!target.is_same(part)) {
    copy_elements(part, target);
  }
}

namespace {

/// Of equal places only the last one was written: it alone has a gradient.
Tensor keep_last(const GradContext& g, const Tensor& taken, const std::vector<Tensor>& indices) {
  const Tensor order = reshape(arange(0, taken.numel()), taken.shape());
  const Tensor none = zeros(g.meta(0).shape, Dtype::int64);
  const Tensor last = index_take(index_replace(none, order, false, indices), indices);
  return where(eq(last, order), taken, 0);
}

}  // namespace

void IndexReplace::gradient(GradContext& g) {
  std::vector<Tensor> indices;
  for (int i = 2; i < g.inputs(); ++i) {
    indices.push_back(g.input(i));
  }
  if (g.needs("input")) {
    const Tensor zero = zeros(g.meta(1).shape, g.grad().dtype());
    const bool adds = g.attr("accumulate").as_bool();
    g.set("input", adds ? g.grad() : index_replace(g.grad(), zero, false, indices));
  }
  if (g.needs("values")) {
    const Tensor taken = index_take(g.grad(), indices);
    g.set("values", g.attr("accumulate").as_bool() ? taken : keep_last(g, taken, indices));
  }
}

void Nonzero::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  const Tensor& input = args.inputs[0];
  detail::note_host_read(input);
  const Tensor source = detail::dense(input);
  std::int64_t count = 0;
  detail::visit_element(source.dtype(), [&](auto element) {
    using Element = decltype(element);
    const auto* data = detail::elements<typename Element::Storage>(source);
    count = std::count_if(data, data + source.numel(),
                          [](auto stored) { return Element::load(stored) != 0; });
  });
  outputs.push_back({Shape{count, input.rank()}, Dtype::int64});
}

void Nonzero::run(const OpArgs& args, std::span<Tensor> outputs) {
  const Tensor source = detail::dense(args.inputs[0]);
  const Shape& shape = source.shape();
  auto* to = detail::raw_elements<std::int64_t>(outputs[0]);
  const std::int64_t* const end = to + outputs[0].numel();
  detail::visit_element(source.dtype(), [&](auto element) {
    using Element = decltype(element);
    const auto* data = detail::elements<typename Element::Storage>(source);
    for (std::int64_t i = 0; i < source.numel() && to != end; ++i) {
      if (Element::load(data[i]) != 0) {
        std::int64_t rest = i;
        for (int axis = shape.rank() - 1; axis >= 0; --axis) {
          to[axis] = rest % shape[axis];
          rest /= shape[axis];
        }
        to += shape.rank();
      }
    }
  });
}

namespace {

/// Errors: IndexError if a mask does not have the shape of the axes from `first` on.
void check_mask(const OpInfo& op, const Shape& whole, const Tensor& mask, int first) {
  for (int i = 0; i < mask.rank(); ++i) {
    check<IndexError>(
        first + i < whole.rank() && mask.shape()[i] == whole[first + i],
        "{}: a mask of shape {} at axis {} of shape {}; its sizes must be those of the axes",
        op.name, mask.shape(), first, whole);
  }
}

/// The indices with each mask replaced by the places where it is true.
std::vector<Tensor> without_masks(const OpInfo& op, const Shape& whole,
                                  std::span<const Tensor> indices) {
  std::vector<Tensor> result;
  for (const Tensor& index : indices) {
    if (!index.defined() || index.dtype() != Dtype::boolean) {
      result.push_back(index);
      continue;
    }
    check_mask(op, whole, index, static_cast<int>(result.size()));
    const Tensor places = nonzero(index);
    for (int i = 0; i < index.rank(); ++i) {
      result.push_back(select(places, 1, i));
    }
  }
  return result;
}

/// A rank-0 mask indexes a new axis of size 1.
bool has_flat_mask(std::span<const Tensor> indices) {
  return std::any_of(indices.begin(), indices.end(), [](const Tensor& index) {
    return index.defined() && index.dtype() == Dtype::boolean && index.rank() == 0;
  });
}

}  // namespace

void Index::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Tensor& input = args.inputs[0];
  const std::span<const Tensor> indices = args.inputs.subspan(1);
  check<UnsupportedError>(!has_flat_mask(indices),
                          "index: a mask of rank 0; masks need at least one axis");
  const bool one_mask =
      indices.size() == 1 && indices[0].defined() && indices[0].dtype() == Dtype::boolean;
  if (!one_mask) {
    outputs.push_back(index_take(input, without_masks(args.op, input.shape(), indices)));
    return;
  }
  // The axes of the mask as one, so that a place is one number.
  const Tensor& mask = indices[0];
  check_mask(args.op, input.shape(), mask, 0);
  Shape shape{mask.numel()};
  for (int i = mask.rank(); i < input.rank(); ++i) {
    shape.push_back(input.shape()[i]);
  }
  const Tensor places = nonzero(reshape(mask, Shape{mask.numel()}));
  const std::vector<Tensor> flat{reshape(places, Shape{places.shape()[0]})};
  outputs.push_back(index_take(reshape(input, shape), flat));
}

void IndexPut::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Tensor& input = args.inputs[0];
  const std::span<const Tensor> indices = args.inputs.subspan(2);
  const Tensor values = args.inputs[1].is_immediate() || args.inputs[1].dtype() == input.dtype()
                            ? args.inputs[1]
                            : cast(args.inputs[1], input.dtype());
  check<UnsupportedError>(!has_flat_mask(indices),
                          "index_put: a mask of rank 0; masks need at least one axis");
  const bool one_mask =
      indices.size() == 1 && indices[0].defined() && indices[0].dtype() == Dtype::boolean;
  if (one_mask && values.rank() == 0 && !args.attrs[0].as_bool()) {
    Tensor mask = indices[0];
    check_mask(args.op, input.shape(), mask, 0);
    while (mask.rank() < input.rank()) {
      mask = unsqueeze(mask, -1);
    }
    outputs.push_back(masked_fill(input, mask, values));
    return;
  }
  const std::vector<Tensor> integers = without_masks(args.op, input.shape(), indices);
  const Plan plan = make_plan(args.op, input.shape(), integers);
  const Tensor wide_values = values.is_immediate()
                                 ? full(plan.result(input.shape()), values.item(), input.dtype())
                                 : expand(values, plan.result(input.shape()));
  outputs.push_back(index_replace(input, wide_values, args.attrs[0], integers));
}

void MaskedSelect::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Shape shape =
      broadcast_shapes(args.inputs[0].shape(), args.inputs[1].shape(), args.op.name);
  const Tensor mask = reshape(expand(args.inputs[1], shape), Ints{-1});
  const Tensor input = reshape(expand(args.inputs[0], shape), Ints{-1});
  check<DtypeError>(mask.dtype() == Dtype::boolean, "masked_select: mask is {}; expected bool",
                    dtype_name(mask.dtype()));
  outputs.push_back(index(input, std::vector<Tensor>{mask}));
}

void OneHot::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  const Tensor& input = args.inputs[0];
  check_dtype(args.op, "input", input.dtype());
  std::int64_t classes = args.attrs[0].as_int();
  if (classes == -1) {
    check<ArgumentError>(input.numel() > 0,
                         "one_hot: input is empty; num_classes must be given for it");
    detail::note_host_read(input);
    const detail::Places places(input,
                                {.op = args.op.name, .axis = input.rank(), .size = INT64_MAX});
    classes = *std::max_element(places.begin(), places.end()) + 1;
  }
  check<ArgumentError>(classes > 0, "one_hot: num_classes is {}; it must be positive, or -1",
                       classes);
  Shape shape = input.shape();
  shape.push_back(classes);
  outputs.push_back({shape, Dtype::int64});
}

void OneHot::run(const OpArgs& args, std::span<Tensor> outputs) {
  const Tensor& output = outputs[0];
  const std::int64_t classes = output.shape().back();
  const detail::Places places(
      args.inputs[0],
      {.op = args.op.name, .what = "class", .axis = output.rank() - 1, .size = classes});
  detail::fill_zero(output);
  auto* to = detail::raw_elements<std::int64_t>(output);
  for (const std::int64_t place : places) {
    to[place] = 1;
    to += classes;
  }
}

}  // namespace rondo
