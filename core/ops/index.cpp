#include "core/ops/index.h"

#include "core/base/error.h"
#include "core/ops/blend.h"
#include "core/ops/compare.h"
#include "core/ops/create.h"
#include "core/ops/index_loops.h"
#include "core/ops/join.h"
#include "core/ops/reshape.h"
#include "core/tensor/copy.h"

namespace rondo {
namespace {

using detail::AxisSplit;
using detail::Places;
using detail::split_axis;

int axis_of(const OpArgs& args, const Shape& shape) {
  return normalize_axis(args.attr("dim").as_int(), shape.rank(), args.op.name);
}

/// Checks an index against the tensor that it points into; `whole` has the op's axis in full.
void check_element_index(const OpArgs& args, const Shape& whole, const Tensor& index) {
  detail::check_index_dtype(args.op, "index", index);
  const int axis = axis_of(args, whole);
  const int rank = std::max(whole.rank(), 1);
  check<ShapeError>(std::max(index.rank(), 1) == rank,
                    "{}: index is {}, the tensor {}; the ranks must be equal", args.op.name,
                    index.shape(), whole);
  for (int i = 0; i < index.rank(); ++i) {
    const std::int64_t limit = whole.rank() == 0 ? 1 : whole[i];
    check<ShapeError>(i == axis || index.shape()[i] <= limit,
                      "{}: index is {}, the tensor {}; it may be larger along axis {} alone",
                      args.op.name, index.shape(), whole, axis);
  }
}

/// The part of a tensor that an index of `shape` can reach: all of the op's axis.
Tensor reachable(const Tensor& whole, const Shape& shape, int axis) {
  Shape part = shape;
  if (part.rank() > 0 && whole.rank() > 0) {
    part[axis] = whole.shape()[axis];
  } else {
    part = whole.shape();
  }
  return Tensor::view_of(whole.storage(), part, whole.strides(), whole.offset(), whole.dtype());
}

/// The part of a tensor that stands where an index of `shape` has its elements.
Tensor leading(const Tensor& whole, const Shape& shape) {
  return Tensor::view_of(whole.storage(), shape, whole.strides(), whole.offset(), whole.dtype());
}

Places places_along(const OpArgs& args, const Tensor& index, int axis, std::int64_t size) {
  return {index, {.op = args.op.name, .axis = axis, .size = size}};
}

using ElementLoop = void (*)(const Tensor&, const Tensor&, const AxisSplit&, std::int64_t,
                             const Places&);

/// Puts or adds the elements of `source` into `output`, which holds what they go into.
void scatter_into(const OpArgs& args, const Tensor& output, const Tensor& source,
                  const Tensor& index, ElementLoop loop) {
  const int axis = axis_of(args, output.shape());
  const Tensor part = reachable(output, index.shape(), axis);
  const AxisSplit split = split_axis(part.shape(), axis);
  const Places places = places_along(args, index, axis, split.size);
  const std::int64_t count = split_axis(index.shape(), axis).size;
  const Tensor target = detail::dense(part);
  loop(target, detail::dense(leading(source, index.shape())), split, count, places);
  if (!target.is_same(part)) {
    copy_elements(part, target);
  }
}

void check_source(const OpArgs& args, const Tensor& source, const Tensor& index,
                  std::string_view name) {
  check<DtypeError>(source.dtype() == args.inputs[0].dtype(), "{}: {} is {}; expected {} as input",
                    args.op.name, name, dtype_name(source.dtype()),
                    dtype_name(args.inputs[0].dtype()));
  bool fits = source.rank() == index.rank();
  for (int i = 0; fits && i < index.rank(); ++i) {
    fits = index.shape()[i] <= source.shape()[i];
  }
  check<ShapeError>(fits, "{}: {} is {}, index {}; it must be at least as large in every axis",
                    args.op.name, name, source.shape(), index.shape());
}

Meta same_as(const Tensor& tensor) {
  return {tensor.shape(), tensor.dtype()};
}

/// The gradient of a source that may be larger than the index: 0 where no index stands.
Tensor source_gradient(const Tensor& taken, const Shape& source) {
  Ints amounts;
  for (int axis = source.rank() - 1; axis >= 0; --axis) {
    amounts.push_back(0);
    amounts.push_back(source[axis] - taken.shape()[axis]);
  }
  return taken.shape() == source ? taken : pad(taken, amounts);
}

}  // namespace

void Gather::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  check_element_index(args, args.inputs[0].shape(), args.inputs[1]);
  outputs.push_back({args.inputs[1].shape(), args.inputs[0].dtype()});
}

void Gather::run(const OpArgs& args, std::span<Tensor> outputs) {
  const Tensor& index = args.inputs[1];
  const int axis = axis_of(args, args.inputs[0].shape());
  const Tensor input = detail::dense(reachable(args.inputs[0], index.shape(), axis));
  const AxisSplit split = split_axis(input.shape(), axis);
  detail::gather_elements(outputs[0], input, split, split_axis(index.shape(), axis).size,
                          places_along(args, index, axis, split.size));
}

void Gather::gradient(GradContext& g) {
  g.set("input", gather_backward(g.grad(), g.attr("dim"), g.input("index"), g.meta(0).shape));
}

void GatherBackward::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  const Shape size(args.attr("size").as_ints());
  checked_numel(size, args.op.name);
  check_element_index(args, size, args.inputs[1]);
  check_source(args, args.inputs[0], args.inputs[1], "grad");
  outputs.push_back({size, args.inputs[0].dtype()});
}

void GatherBackward::run(const OpArgs& args, std::span<Tensor> outputs) {
  detail::fill_zero(outputs[0]);
  scatter_into(args, outputs[0], args.inputs[0], args.inputs[1], detail::add_elements);
}

void GatherBackward::gradient(GradContext& g) {
  const Tensor taken = gather(g.grad(), g.attr("dim"), g.input("index"));
  g.set("grad", source_gradient(taken, g.meta("grad").shape));
}

void Scatter::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  check_element_index(args, args.inputs[0].shape(), args.inputs[1]);
  if (!args.inputs[2].is_immediate()) {
    check_source(args, args.inputs[2], args.inputs[1], "src");
  }
  outputs.push_back(same_as(args.inputs[0]));
}

void Scatter::run(const OpArgs& args, std::span<Tensor> outputs) {
  const Tensor& index = args.inputs[1];
  Tensor source = args.inputs[2];
  if (source.is_immediate()) {
    const Tensor number = Tensor::empty({}, outputs[0].dtype());
    write_element(number.storage()->raw_data(), number.dtype(), source.item());
    source = Tensor::view_of(number.storage(), index.shape(), Shape::filled(index.rank(), 0), 0,
                             number.dtype());
  }
  copy_elements(outputs[0], detail::stored(args.inputs[0]));
  scatter_into(args, outputs[0], source, index, detail::put_elements);
}

void Scatter::gradient(GradContext& g) {
  const Tensor& index = g.input("index");
  if (g.needs("input")) {
    g.set("input", scatter(g.grad(), g.attr("dim"), index, 0));
  }
  if (g.needs("src")) {
    // Of equal places only the last one was written: it alone has a gradient.
    const Tensor order = reshape(arange(0, index.numel()), index.shape());
    const Tensor none = zeros(g.meta(0).shape, Dtype::int64);
    const Tensor last = gather(scatter(none, g.attr("dim"), index, order), g.attr("dim"), index);
    const Tensor taken = where(eq(last, order), gather(g.grad(), g.attr("dim"), index), 0);
    g.set("src", source_gradient(taken, g.meta("src").shape));
  }
}

void ScatterAdd::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  check_element_index(args, args.inputs[0].shape(), args.inputs[1]);
  check_source(args, args.inputs[2], args.inputs[1], "src");
  outputs.push_back(same_as(args.inputs[0]));
}

void ScatterAdd::run(const OpArgs& args, std::span<Tensor> outputs) {
  copy_elements(outputs[0], detail::stored(args.inputs[0]));
  scatter_into(args, outputs[0], detail::stored(args.inputs[2]), args.inputs[1],
               detail::add_elements);
}

void ScatterAdd::gradient(GradContext& g) {
  g.set("input", g.grad());
  if (g.needs("src")) {
    const Tensor taken = gather(g.grad(), g.attr("dim"), g.input("index"));
    g.set("src", source_gradient(taken, g.meta("src").shape));
  }
}

namespace {

/// The shape of the slices that the index of index_select or index_add names.
Shape slices_shape(const OpArgs& args) {
  const Tensor& index = args.inputs[1];
  Shape shape = args.inputs[0].shape();
  const int axis = axis_of(args, shape);
  detail::check_index_dtype(args.op, "index", index);
  check<ShapeError>(index.rank() <= 1, "{}: index is {}; expected one axis", args.op.name,
                    index.shape());
  if (shape.rank() > 0) {
    shape[axis] = index.numel();
  } else {
    check<ShapeError>(index.numel() == 1,
                      "{}: index is {}, input has rank 0; it has exactly one slice", args.op.name,
                      index.shape());
  }
  return shape;
}

}  // namespace

void IndexSelect::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  outputs.push_back({slices_shape(args), args.inputs[0].dtype()});
}

void IndexSelect::run(const OpArgs& args, std::span<Tensor> outputs) {
  const int axis = axis_of(args, args.inputs[0].shape());
  const AxisSplit split = split_axis(args.inputs[0].shape(), axis);
  detail::select_rows(outputs[0], detail::dense(args.inputs[0]), split,
                      places_along(args, args.inputs[1], axis, split.size));
}

void IndexSelect::gradient(GradContext& g) {
  const Tensor zero = zeros(g.meta(0).shape, g.grad().dtype());
  g.set("input", index_add(zero, g.attr("dim"), g.input("index"), g.grad()));
}

void IndexAdd::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  const Tensor& input = args.inputs[0];
  const Tensor& source = args.inputs[2];
  const Shape shape = slices_shape(args);
  check<ShapeError>(source.shape() == shape, "index_add: source is {}; expected {}", source.shape(),
                    shape);
  check<DtypeError>(source.dtype() == input.dtype(),
                    "index_add: source is {}; expected {} as input", dtype_name(source.dtype()),
                    dtype_name(input.dtype()));
  outputs.push_back(same_as(input));
}

void IndexAdd::run(const OpArgs& args, std::span<Tensor> outputs) {
  copy_elements(outputs[0], detail::stored(args.inputs[0]));
  const int axis = axis_of(args, args.inputs[0].shape());
  const AxisSplit split = split_axis(args.inputs[0].shape(), axis);
  detail::add_rows(outputs[0], detail::dense(args.inputs[2]), split,
                   places_along(args, args.inputs[1], axis, split.size));
}

void IndexAdd::gradient(GradContext& g) {
  g.set("input", g.grad());
  if (g.needs("source")) {
    g.set("source", index_select(g.grad(), g.attr("dim"), g.input("index")));
  }
}

namespace {

/// Rows of a matrix are the slices of its first axis.
AxisSplit matrix_rows(const Shape& matrix) {
  return {1, matrix[0], matrix[1]};
}

void check_matrix(const OpArgs& args, std::string_view name, const Shape& shape) {
  check<ShapeError>(shape.rank() == 2, "{}: {} is {}; expected two axes", args.op.name, name,
                    shape);
}

}  // namespace

void Embedding::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  const Tensor& weight = args.inputs[1];
  detail::check_index_dtype(args.op, "input", args.inputs[0]);
  check_dtype(args.op, "weight", weight.dtype());
  check_matrix(args, "weight", weight.shape());
  Shape shape = args.inputs[0].shape();
  shape.push_back(weight.shape()[1]);
  outputs.push_back({shape, weight.dtype()});
}

void Embedding::run(const OpArgs& args, std::span<Tensor> outputs) {
  const Tensor weight = detail::dense(args.inputs[1]);
  detail::select_rows(outputs[0], weight, matrix_rows(weight.shape()),
                      places_along(args, args.inputs[0], 0, weight.shape()[0]));
}

void Embedding::gradient(GradContext& g) {
  g.set("weight", embedding_backward(g.grad(), g.input("input"), g.meta("weight").shape,
                                     g.attr("padding_idx")));
}

void EmbeddingBackward::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  const Shape size(args.attr("size").as_ints());
  detail::check_index_dtype(args.op, "input", args.inputs[1]);
  check_dtype(args.op, "grad", args.inputs[0].dtype());
  check_matrix(args, "size", size);
  Shape rows = args.inputs[1].shape();
  rows.push_back(size[1]);
  check<ShapeError>(args.inputs[0].shape() == rows, "{}: grad is {}; expected {}", args.op.name,
                    args.inputs[0].shape(), rows);
  outputs.push_back({size, args.inputs[0].dtype()});
}

void EmbeddingBackward::run(const OpArgs& args, std::span<Tensor> outputs) {
  const AxisSplit split = matrix_rows(outputs[0].shape());
  const Places places = places_along(args, args.inputs[1], 0, split.size);
  const Tensor grad = detail::dense(args.inputs[0]);
  detail::fill_zero(outputs[0]);
  const Attr& padding = args.attr("padding_idx");
  if (padding.is_none()) {
    detail::add_rows(outputs[0], grad, split, places);
    return;
  }
  std::vector<std::int64_t> list(places.begin(), places.end());
  const std::int64_t p = padding.as_int();
  // A place outside of every part: its rows are skipped.
  std::replace(list.begin(), list.end(), p < 0 ? p + split.size : p, std::int64_t{-1});
  detail::add_rows(outputs[0], grad, split, Places(std::move(list)));
}

void EmbeddingBackward::gradient(GradContext& g) {
  const Tensor& index = g.input("input");
  Tensor grad = embedding(index, g.grad());
  if (const Attr& padding = g.attr("padding_idx"); !padding.is_none()) {
    const std::int64_t p = padding.as_int();
    const std::int64_t row = p < 0 ? p + g.grad().shape()[0] : p;
    grad = where(unsqueeze(eq(index, row), -1), 0, grad);
  }
  g.set("grad", grad);
}

void TakeAlongDim::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Attr& dim = args.attrs[0];
  if (dim.is_none()) {
    const Tensor flat = reshape(args.inputs[0], Ints{-1});
    outputs.push_back(gather(flat, 0, reshape(args.inputs[1], Ints{-1})));
    return;
  }
  Shape from = args.inputs[0].shape();
  Shape to = args.inputs[1].shape();
  check<ShapeError>(from.rank() == to.rank(),
                    "take_along_dim: input is {}, indices {}; the ranks must be equal", from, to);
  const int axis = normalize_axis(dim.as_int(), from.rank(), args.op.name);
  if (from.rank() > 0) {
    const std::int64_t length = from[axis];
    const std::int64_t count = to[axis];
    from[axis] = 1;
    to[axis] = 1;
    from = broadcast_shapes(from, to, args.op.name);
    to = from;
    from[axis] = length;
    to[axis] = count;
  }
  outputs.push_back(gather(expand(args.inputs[0], from), axis, expand(args.inputs[1], to)));
}

}  // namespace rondo
