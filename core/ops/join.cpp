#include "core/ops/join.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/ops/blend.h"
#include "core/ops/compare.h"
#include "core/ops/create.h"
#include "core/ops/memory.h"
#include "core/ops/reshape.h"
#include "core/ops/scatter.h"
#include "core/tensor/copy.h"

namespace rondo {
namespace {

/// Errors: ArgumentError if the list is empty or holds None.
void check_tensors(const OpArgs& args) {
  check<ArgumentError>(!args.inputs.empty(), "{}: there are no tensors; at least one is required",
                       args.op.name);
  for (std::size_t i = 0; i < args.inputs.size(); ++i) {
    check<ArgumentError>(args.inputs[i].defined(), "{}: tensor {} is None; expected a tensor",
                         args.op.name, i);
  }
}

/// The part of a result from `start` on along an axis, `size` long.
Tensor part_of(const Tensor& whole, int axis, std::int64_t start, std::int64_t size) {
  Shape shape = whole.shape();
  shape[axis] = size;
  return Tensor::view_of(whole.storage(), shape, whole.strides(),
                         whole.offset() + start * whole.strides()[axis], whole.dtype());
}

}  // namespace

void Concatenate::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  check_tensors(args);
  const Tensor& first = args.inputs[0];
  check<ShapeError>(first.rank() > 0, "{}: tensor 0 has rank 0; stack joins along a new axis",
                    args.op.name);
  const int axis = normalize_axis(args.attrs[0].as_int(), first.rank(), args.op.name);
  Shape shape = first.shape();
  shape[axis] = 0;
  for (std::size_t i = 0; i < args.inputs.size(); ++i) {
    const Tensor& tensor = args.inputs[i];
    bool fits = tensor.rank() == shape.rank();
    for (int a = 0; fits && a < shape.rank(); ++a) {
      fits = a == axis || tensor.shape()[a] == shape[a];
    }
    check<ShapeError>(fits,
                      "{}: tensor 0 is {}, tensor {} is {}; all sizes but that of axis {} must be "
                      "equal",
                      args.op.name, first.shape(), i, tensor.shape(), axis);
    check<DtypeError>(tensor.dtype() == first.dtype(),
                      "{}: tensor 0 is {}, tensor {} is {}; the dtypes must be equal", args.op.name,
                      dtype_name(first.dtype()), i, dtype_name(tensor.dtype()));
    shape[axis] += tensor.shape()[axis];
  }
  outputs.push_back({shape, first.dtype()});
}

void Concatenate::run(const OpArgs& args, std::span<Tensor> outputs) {
  const int axis = normalize_axis(args.attrs[0].as_int(), outputs[0].rank(), args.op.name);
  std::int64_t start = 0;
  for (const Tensor& tensor : args.inputs) {
    const std::int64_t size = tensor.shape()[axis];
    copy_elements(part_of(outputs[0], axis, start, size), tensor);
    start += size;
  }
}

void Concatenate::gradient(GradContext& g) {
  const int axis = normalize_axis(g.attr("dim").as_int(), g.meta(0).shape.rank(), "concatenate");
  std::int64_t start = 0;
  for (int i = 0; i < g.inputs(); ++i) {
    const std::int64_t end = start + g.meta(i).shape[axis];
    if (g.needs(i)) {
      g.set(i, slice(g.grad(), axis, start, end));
    }
    start = end;
  }
}

void Cat::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  check_tensors(args);
  const Dtype dtype = promoted_dtype(args.inputs, 0);
  std::vector<Tensor> parts;
  for (const Tensor& tensor : args.inputs) {
    if (tensor.rank() != 1 || tensor.numel() != 0) {
      parts.push_back(to_dtype(tensor, dtype));
    }
  }
  if (parts.empty()) {
    parts.push_back(to_dtype(args.inputs[0], dtype));
  }
  outputs.push_back(concatenate(parts, args.attrs[0]));
}

void Stack::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  check_tensors(args);
  const Shape& first = args.inputs[0].shape();
  const Dtype dtype = promoted_dtype(args.inputs, 0);
  const int axis = normalize_axis(args.attrs[0].as_int(), first.rank() + 1, "stack");
  std::vector<Tensor> parts;
  for (const Tensor& tensor : args.inputs) {
    check<ShapeError>(tensor.shape() == first,
                      "stack: tensor 0 is {}, tensor {} is {}; the shapes must be equal", first,
                      parts.size(), tensor.shape());
    parts.push_back(unsqueeze(to_dtype(tensor, dtype), axis));
  }
  outputs.push_back(concatenate(parts, axis));
}

namespace {

/// Elements added before and after an axis.
struct AxisPad {
  std::int64_t before = 0;
  std::int64_t after = 0;
};

AxisPad axis_pad(const Ints& list, int rank, int axis) {
  const auto place = static_cast<std::size_t>(2 * (rank - 1 - axis));
  return place < list.size() ? AxisPad{list[place], list[place + 1]} : AxisPad{};
}

}  // namespace

void Pad::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  const Tensor& input = args.inputs[0];
  const Ints& list = args.attrs[0].as_ints();
  const std::string& mode = args.attrs[1].as_string();
  check<UnsupportedError>(mode == "constant", "pad: mode is \"{}\"; only \"constant\" is supported",
                          mode);
  check<ArgumentError>(list.size() % 2 == 0 && static_cast<int>(list.size()) <= 2 * input.rank(),
                       "pad: {} numbers for shape {}; two for each of the last axes are required",
                       list.size(), input.shape());
  Shape shape = input.shape();
  constexpr std::int64_t kMost = std::int64_t{1} << 59;
  for (const std::int64_t n : list) {
    check<ArgumentError>(n > -kMost && n < kMost, "pad: {} elements; at most 2^59", n);
  }
  for (int i = 0; i < shape.rank(); ++i) {
    const AxisPad pads = axis_pad(list, shape.rank(), i);
    shape[i] += pads.before + pads.after;
    check<ShapeError>(shape[i] >= 0, "pad: axis {} of shape {} loses {} elements; it has fewer", i,
                      input.shape(), -(pads.before + pads.after));
  }
  outputs.push_back({shape, input.dtype()});
}

void Pad::run(const OpArgs& args, std::span<Tensor> outputs) {
  const Tensor& output = outputs[0];
  const Ints& list = args.attrs[0].as_ints();
  detail::visit_width(output.dtype(), [&](auto width) {
    using T = decltype(width);
    T value{};
    write_element(reinterpret_cast<std::byte*>(&value), output.dtype(), args.inputs[1].item());
    std::fill_n(detail::raw_elements<T>(output), output.numel(), value);
  });
  Tensor to = output;
  Tensor from = detail::stored(args.inputs[0]);
  for (int i = 0; i < output.rank(); ++i) {
    const AxisPad pads = axis_pad(list, output.rank(), i);
    const std::int64_t begin = std::max<std::int64_t>(-pads.before, 0);
    const std::int64_t end = from.shape()[i] - std::max<std::int64_t>(-pads.after, 0);
    const std::int64_t size = std::max<std::int64_t>(end - begin, 0);
    from = part_of(from, i, size == 0 ? 0 : begin, size);
    to = part_of(to, i, size == 0 ? 0 : std::max<std::int64_t>(pads.before, 0), size);
  }
  copy_elements(to, from);
}

void Pad::gradient(GradContext& g) {
  Ints back = g.attr("pad").as_ints();
  for (std::int64_t& n : back) {
    n = -n;
  }
  g.set("input", pad(g.grad(), back));
}

void Flip::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  Tensor result = args.inputs[0];
  for (const std::int64_t dim : args.attrs[0].as_ints()) {
    const int axis = normalize_axis(dim, result.rank(), "flip");
    if (result.rank() > 0) {
      result = slice(result, axis, std::nullopt, std::nullopt, -1);
    }
  }
  outputs.push_back(clone(result));
}

namespace {

Tensor roll_axis(const Tensor& input, std::int64_t shift, int axis) {
  const std::int64_t size = input.rank() == 0 ? 0 : input.shape()[axis];
  const std::int64_t start = size == 0 ? 0 : (size - shift % size) % size;
  if (start == 0) {
    return input;
  }
  const std::vector<Tensor> parts{slice(input, axis, start), slice(input, axis, 0, start)};
  return concatenate(parts, axis);
}

}  // namespace

void Roll::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Tensor& input = args.inputs[0];
  const Ints& shifts = args.attrs[0].as_ints();
  if (args.attrs[1].is_none()) {
    check<ArgumentError>(shifts.size() == 1, "roll: {} shifts without dims; expected one",
                         shifts.size());
    const Tensor rolled = roll_axis(reshape(input, Ints{-1}), shifts[0], 0);
    outputs.push_back(clone(reshape(rolled, input.shape())));
    return;
  }
  const Ints& dims = args.attrs[1].as_ints();
  check<ArgumentError>(shifts.size() == dims.size(),
                       "roll: {} shifts for {} dims; their counts must be equal", shifts.size(),
                       dims.size());
  Tensor result = input;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    result = roll_axis(result, shifts[i], normalize_axis(dims[i], input.rank(), "roll"));
  }
  outputs.push_back(result.is_same(input) ? clone(input) : result);
}

bool Diagonal::view(const OpArgs& args, ViewGeometry& result) {
  const Tensor& x = args.inputs[0];
  check<ShapeError>(x.rank() >= 2, "diagonal: input is {}; expected at least two axes", x.shape());
  const int row = normalize_axis(args.attrs[1].as_int(), x.rank(), "diagonal");
  const int column = normalize_axis(args.attrs[2].as_int(), x.rank(), "diagonal");
  check<ArgumentError>(row != column, "diagonal: dim1 and dim2 are both {}; they must differ", row);
  const std::int64_t offset =
      std::clamp(args.attrs[0].as_int(), -x.shape()[row], x.shape()[column]);
  const std::int64_t first_row = std::max<std::int64_t>(-offset, 0);
  const std::int64_t first_column = std::max<std::int64_t>(offset, 0);
  const std::int64_t length = std::max<std::int64_t>(
      std::min(x.shape()[row] - first_row, x.shape()[column] - first_column), 0);
  for (int i = 0; i < x.rank(); ++i) {
    if (i != row && i != column) {
      result.shape.push_back(x.shape()[i]);
      result.strides.push_back(x.strides()[i]);
    }
  }
  result.shape.push_back(length);
  result.strides.push_back(x.strides()[row] + x.strides()[column]);
  result.offset = x.offset();
  if (length > 0) {
    result.offset += first_row * x.strides()[row] + first_column * x.strides()[column];
  }
  return true;
}

void Diagonal::gradient(GradContext& g) {
  // The diagonal of a contiguous tensor of the input's shape is a strided part of it.
  const Tensor zero = zeros(g.meta(0).shape, g.grad().dtype());
  const Tensor part =
      diagonal(zero, g.attr("offset").as_int(), g.attr("dim1").as_int(), g.attr("dim2").as_int());
  g.set(0, as_strided_scatter(zero, g.grad(), part.shape(), part.strides(), part.offset()));
}

Tensor lower_triangle(std::int64_t rows, std::int64_t columns, std::int64_t diagonal) {
  const Tensor last = unsqueeze(arange(diagonal, diagonal + rows), 1);
  return le(arange(0, columns), last);
}

namespace {

/// Keeps the elements on and below the diagonal, or, if not `lower`, those on and above it.
void keep_triangle(const OpArgs& args, bool lower, std::vector<Tensor>& outputs) {
  const Tensor& input = args.inputs[0];
  const std::int64_t diagonal = args.attrs[0].as_int();
  check<ShapeError>(input.rank() >= 2, "{}: input is {}; expected at least two axes", args.op.name,
                    input.shape());
  const std::int64_t rows = input.shape()[input.rank() - 2];
  const std::int64_t columns = input.shape().back();
  const std::int64_t last = std::clamp(diagonal, -rows, columns) - (lower ? 0 : 1);
  const Tensor mask = lower_triangle(rows, columns, last);
  const Scalar number = input.dtype() == Dtype::boolean ? Scalar(false) : Scalar(0);
  const Tensor zero = Tensor::number(number);
  outputs.push_back(lower ? where(mask, input, zero) : where(mask, zero, input));
}

}  // namespace

void Tril::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  keep_triangle(args, true, outputs);
}

void Triu::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  keep_triangle(args, false, outputs);
}

}  // namespace rondo
