#include "core/ops/window.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "core/base/error.h"
#include "core/base/thread_pool.h"
#include "core/ops/index.h"
#include "core/ops/join.h"
#include "core/ops/memory.h"
#include "core/ops/reduce.h"
#include "core/ops/reshape.h"

namespace rondo {
namespace {

/// One axis of a window op.
struct WindowAxis {
  std::int64_t input = 0;
  std::int64_t output = 0;
  std::int64_t kernel = 0;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t dilation = 1;

  std::int64_t begin(std::int64_t place) const { return place * stride - padding; }
};

struct Window {
  WindowAxis rows;
  WindowAxis columns;
  std::int64_t planes = 1;
};

/// Larger numbers in attributes are refused, so that nothing computed of them overflows.
constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();

/// Number `i` of a list of one or two. Errors: ArgumentError.
std::int64_t entry(const OpArgs& args, std::string_view name, int i, std::int64_t least) {
  const Ints& list = args.attr(name).as_ints();
  check<ArgumentError>(list.size() == 1 || list.size() == 2,
                       "{}: {} has {} numbers; expected one or two", args.op.name, name,
                       list.size());
  const std::int64_t value = list[list.size() == 1 ? 0 : static_cast<std::size_t>(i)];
  check<ArgumentError>(value >= least, "{}: {} is {}; it must be at least {}", args.op.name, name,
                       value, least);
  check<ArgumentError>(value <= kLargest, "{}: {} is {}; it must be at most {}", args.op.name, name,
                       value, kLargest);
  return value;
}

/// Whether every window has an element inside of the input: a dilated one may step over it.
bool meets_input(const WindowAxis& axis) {
  if (axis.dilation == 1 || axis.padding == 0) {
    return true;
  }
  for (std::int64_t place = 0; place < axis.output; ++place) {
    const std::int64_t begin = axis.begin(place);
    const std::int64_t skipped = begin < 0 ? (-begin + axis.dilation - 1) / axis.dilation : 0;
    if (skipped >= axis.kernel || begin + skipped * axis.dilation >= axis.input) {
      return false;
    }
  }
  return true;
}

WindowAxis window_axis(const OpArgs& args, const Shape& input, int i, bool dilates) {
  WindowAxis axis;
  axis.input = input[input.rank() - 2 + i];
  axis.kernel = entry(args, "kernel_size", i, 1);
  axis.stride = args.attr("stride").is_none() ? axis.kernel : entry(args, "stride", i, 1);
  axis.padding = entry(args, "padding", i, 0);
  axis.dilation = dilates ? entry(args, "dilation", i, 1) : 1;
  check<ArgumentError>(2 * axis.padding <= axis.kernel,
                       "{}: padding is {}; it must be at most half of the kernel size {}",
                       args.op.name, axis.padding, axis.kernel);
  const std::int64_t free = axis.input + 2 * axis.padding - axis.dilation * (axis.kernel - 1) - 1;
  const bool ceil_mode = args.attr("ceil_mode").as_bool();
  axis.output = free < 0 ? 0 : (free + (ceil_mode ? axis.stride - 1 : 0)) / axis.stride + 1;
  if (ceil_mode && axis.begin(axis.output - 1) >= axis.input) {
    --axis.output;  // the last window would lie in the padding alone
  }
  check<ShapeError>(axis.input > 0 && axis.output > 0 && meets_input(axis),
                    "{}: input is {}; a window of {} does not fit", args.op.name, input,
                    axis.kernel);
  return axis;
}

Window window_of(const OpArgs& args, const Shape& input, bool dilates) {
  check<ShapeError>(input.rank() == 3 || input.rank() == 4,
                    "{}: input is {}; expected three or four axes", args.op.name, input);
  Window window{window_axis(args, input, 0, dilates), window_axis(args, input, 1, dilates)};
  for (int i = 0; i < input.rank() - 2; ++i) {
    window.planes *= input[i];
  }
  return window;
}

Shape output_shape(const Window& window, const Shape& input) {
  Shape shape = input;
  shape[shape.rank() - 2] = window.rows.output;
  shape[shape.rank() - 1] = window.columns.output;
  return shape;
}

/// Calls body(plane, output row) for all, planes in parallel.
template <class Body>
void for_planes(const Window& w, const Body& body) {
  const double work = static_cast<double>(w.rows.output * w.columns.output) *
                      static_cast<double>(w.rows.kernel * w.columns.kernel);
  const auto grain = detail::grain_for(static_cast<std::int64_t>(std::min(work, 1e15)));
  parallel_for(w.planes, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t plane = begin; plane < end; ++plane) {
      body(plane);
    }
  });
}

}  // namespace

void MaxPool2d::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  outputs.push_back(max_pool2d_with_indices(args.inputs[0], args.attrs[0], args.attrs[1],
                                            args.attrs[2], args.attrs[3], args.attrs[4])[0]);
}

void MaxPool2dWithIndices::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  const Tensor& input = args.inputs[0];
  check_dtype(args.op, "input", input.dtype());
  const Shape shape = output_shape(window_of(args, input.shape(), true), input.shape());
  outputs.push_back({shape, input.dtype()});
  outputs.push_back({shape, Dtype::int64});
}

namespace {

/// The place of the largest element of one window, the first of equals; NaN is largest.
template <class Element>
std::int64_t largest_in(const typename Element::Storage* plane, const Window& w,
                        std::int64_t first_row, std::int64_t first_column) {
  typename Element::Compute best = 0;
  std::int64_t place = -1;
  for (std::int64_t i = 0; i < w.rows.kernel; ++i) {
    const std::int64_t row = first_row + i * w.rows.dilation;
    if (row < 0 || row >= w.rows.input) {
      continue;
    }
    for (std::int64_t j = 0; j < w.columns.kernel; ++j) {
      const std::int64_t column = first_column + j * w.columns.dilation;
      if (column < 0 || column >= w.columns.input) {
        continue;
      }
      const auto value = Element::load(plane[row * w.columns.input + column]);
      if (place < 0 || value > best || (value != value && best == best)) {
        best = value;
        place = row * w.columns.input + column;
      }
    }
  }
  return place;
}

/// The same for a window that lies inside of the input, without a branch on data.
template <class Element>
std::int64_t largest_inside(const typename Element::Storage* plane, const Window& w,
                            std::int64_t first) {
  std::int64_t place = first;
  for (std::int64_t i = 0; i < w.rows.kernel; ++i) {
    std::int64_t next = first + i * w.rows.dilation * w.columns.input;
    for (std::int64_t j = 0; j < w.columns.kernel; ++j, next += w.columns.dilation) {
      const auto value = Element::load(plane[next]);
      const auto best = Element::load(plane[place]);
      const bool larger = !(value <= best) & (best == best);
      place += (next - place) * static_cast<std::int64_t>(larger);
    }
  }
  return place;
}

using Floats = float __attribute__((vector_size(16)));
using Places = std::int32_t __attribute__((vector_size(16)));
constexpr std::int64_t kLanes = 4;

/// The same for `count` windows beside each other, kLanes at a time, the last ones perhaps twice.
/// Whether it was done.
template <class Storage>
bool largest_side_by_side(const Storage* plane, const Window& w, std::int64_t first,
                          std::int64_t count, std::int64_t* places) {
  if constexpr (std::is_same_v<Storage, float>) {
    const std::int64_t s = w.columns.stride;
    if (count < kLanes ||
        w.rows.input * w.columns.input > std::numeric_limits<std::int32_t>::max()) {
      return false;
    }
    for (std::int64_t done = 0; done < count; done += kLanes) {
      const std::int64_t column = std::min(done, count - kLanes);
      const float* corner = plane + first + column * s;
      Floats best = {corner[0], corner[s], corner[2 * s], corner[3 * s]};
      Places offset = {};
      for (std::int64_t i = 0; i < w.rows.kernel; ++i) {
        std::int64_t next = i * w.rows.dilation * w.columns.input;
        for (std::int64_t j = 0; j < w.columns.kernel; ++j, next += w.columns.dilation) {
          const float* at = corner + next;
          const Floats value = {at[0], at[s], at[2 * s], at[3 * s]};
          const Places larger = ~(value <= best) & (best == best);
          best = larger ? value : best;
          offset = larger ? Places{} + static_cast<std::int32_t>(next) : offset;
        }
      }
      for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        places[column + lane] = first + (column + lane) * s + offset[lane];
      }
    }
    return true;
  }
  return false;
}

/// The places on an axis whose windows lie inside of the input: begin and what follows, before end.
struct PlacesInside {
  explicit PlacesInside(const WindowAxis& axis)
      : begin(std::min((axis.padding + axis.stride - 1) / axis.stride, axis.output)) {
    const std::int64_t room = axis.input + axis.padding - axis.dilation * (axis.kernel - 1);
    end = std::clamp(room <= 0 ? 0 : (room - 1) / axis.stride + 1, begin, axis.output);
  }

  std::int64_t begin;
  std::int64_t end;
};

/// Fills in one row of places; `inside` are those of columns, none if the row is at a border.
template <class Element>
void largest_of_row(const typename Element::Storage* plane, const Window& w, PlacesInside inside,
                    std::int64_t row, std::int64_t* places) {
  const std::int64_t first_row = w.rows.begin(row);
  const auto at_border = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t column = begin; column < end; ++column) {
      places[column] = largest_in<Element>(plane, w, first_row, w.columns.begin(column));
    }
  };
  at_border(0, inside.begin);
  const std::int64_t first = first_row * w.columns.input + w.columns.begin(inside.begin);
  const std::int64_t count = inside.end - inside.begin;
  if (!largest_side_by_side(plane, w, first, count, places + inside.begin)) {
    for (std::int64_t i = 0; i < count; ++i) {
      places[inside.begin + i] = largest_inside<Element>(plane, w, first + i * w.columns.stride);
    }
  }
  at_border(inside.end, w.columns.output);
}

}  // namespace

void MaxPool2dWithIndices::run(const OpArgs& args, std::span<Tensor> outputs) {
  const Tensor input = detail::dense(args.inputs[0]);
  const Window w = window_of(args, input.shape(), true);
  const PlacesInside rows(w.rows);
  const PlacesInside columns(w.columns);
  PlacesInside none = columns;
  none.end = none.begin;
  detail::visit_floating(input.dtype(), [&](auto element) {
    using Element = decltype(element);
    using Storage = typename Element::Storage;
    const auto* from = detail::elements<Storage>(input);
    auto* values = detail::raw_elements<Storage>(outputs[0]);
    auto* places = detail::raw_elements<std::int64_t>(outputs[1]);
    for_planes(w, [&](std::int64_t plane) {
      const auto* source = from + plane * w.rows.input * w.columns.input;
      std::int64_t to = plane * w.rows.output * w.columns.output;
      for (std::int64_t row = 0; row < w.rows.output; ++row) {
        const bool border = row < rows.begin || row >= rows.end;
        largest_of_row<Element>(source, w, border ? none : columns, row, places + to);
        for (const std::int64_t end = to + w.columns.output; to < end; ++to) {
          values[to] = source[places[to]];
        }
      }
    });
  });
}

void MaxPool2dWithIndices::gradient(GradContext& g) {
  if (!g.grad(0).defined()) {
    return;
  }
  const auto flat = [](const Shape& shape) {
    Shape result(shape.span().first(static_cast<std::size_t>(shape.rank() - 2)));
    result.push_back(shape[shape.rank() - 2] * shape[shape.rank() - 1]);
    return result;
  };
  const Shape& input = g.meta(0).shape;
  const Shape shape = flat(g.grad(0).shape());
  const Tensor spread =
      gather_backward(reshape(g.grad(0), shape), -1, reshape(g.output(1), shape), flat(input));
  g.set("input", reshape(spread, input));
}

void AvgPool2d::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  const Tensor& input = args.inputs[0];
  check_dtype(args.op, "input", input.dtype());
  const Shape shape = output_shape(window_of(args, input.shape(), false), input.shape());
  outputs.push_back({shape, input.dtype()});
}

namespace {

/// The part of a window that lies inside of the input, and how many elements its mean is over.
struct Inside {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t counted = 0;
};

Inside inside(const WindowAxis& axis, std::int64_t place, bool count_pad) {
  const std::int64_t begin = axis.begin(place);
  const std::int64_t end = std::min(begin + axis.kernel, axis.input + axis.padding);
  Inside result{std::max<std::int64_t>(begin, 0), std::min(end, axis.input), 0};
  result.counted = count_pad ? end - begin : result.end - result.begin;
  return result;
}

}  // namespace

void AvgPool2d::run(const OpArgs& args, std::span<Tensor> outputs) {
  const Tensor input = detail::dense(args.inputs[0]);
  const Window w = window_of(args, input.shape(), false);
  const bool count_pad = args.attr("count_include_pad").as_bool();
  detail::visit_floating(input.dtype(), [&](auto element) {
    using Element = decltype(element);
    using Compute = typename Element::Compute;
    const auto* from = detail::elements<typename Element::Storage>(input);
    auto* to = detail::raw_elements<typename Element::Storage>(outputs[0]);
    for_planes(w, [&](std::int64_t plane) {
      const auto* source = from + plane * w.rows.input * w.columns.input;
      auto* target = to + plane * w.rows.output * w.columns.output;
      for (std::int64_t p = 0; p < w.rows.output * w.columns.output; ++p) {
        const Inside rows = inside(w.rows, p / w.columns.output, count_pad);
        const Inside columns = inside(w.columns, p % w.columns.output, count_pad);
        Compute sum = 0;
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
          for (std::int64_t column = columns.begin; column < columns.end; ++column) {
            sum += Element::load(source[row * w.columns.input + column]);
          }
        }
        target[p] = Element::store(sum / static_cast<Compute>(rows.counted * columns.counted));
      }
    });
  });
}

void AvgPool2d::gradient(GradContext& g) {
  g.set("input",
        avg_pool2d_backward(g.grad(), g.meta(0).shape, g.attr("kernel_size"), g.attr("stride"),
                            g.attr("padding"), g.attr("ceil_mode"), g.attr("count_include_pad")));
}

void AvgPool2dBackward::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  const Shape size(args.attr("size").as_ints());
  const Tensor& grad = args.inputs[0];
  check_dtype(args.op, "grad", grad.dtype());
  const Shape shape = output_shape(window_of(args, size, false), size);
  check<ShapeError>(grad.shape() == shape, "{}: grad is {}; expected {}", args.op.name,
                    grad.shape(), shape);
  outputs.push_back({size, grad.dtype()});
}

void AvgPool2dBackward::run(const OpArgs& args, std::span<Tensor> outputs) {
  const Tensor grad = detail::dense(args.inputs[0]);
  const Window w = window_of(args, outputs[0].shape(), false);
  const bool count_pad = args.attr("count_include_pad").as_bool();
  detail::visit_floating(grad.dtype(), [&](auto element) {
    using Element = decltype(element);
    using Compute = typename Element::Compute;
    const auto* from = detail::elements<typename Element::Storage>(grad);
    auto* to = detail::raw_elements<typename Element::Storage>(outputs[0]);
    const std::int64_t plane_size = w.rows.input * w.columns.input;
    for_planes(w, [&](std::int64_t plane) {
      std::vector<Compute> sums(static_cast<std::size_t>(plane_size));
      const auto* source = from + plane * w.rows.output * w.columns.output;
      for (std::int64_t p = 0; p < w.rows.output * w.columns.output; ++p) {
        const Inside rows = inside(w.rows, p / w.columns.output, count_pad);
        const Inside columns = inside(w.columns, p % w.columns.output, count_pad);
        const Compute part =
            Element::load(source[p]) / static_cast<Compute>(rows.counted * columns.counted);
        for (std::int64_t row = rows.begin; row < rows.end; ++row) {
          for (std::int64_t column = columns.begin; column < columns.end; ++column) {
            sums[static_cast<std::size_t>(row * w.columns.input + column)] += part;
          }
        }
      }
      std::transform(sums.begin(), sums.end(), to + plane * plane_size, Element::store);
    });
  });
}

void AvgPool2dBackward::gradient(GradContext& g) {
  g.set("grad", avg_pool2d(g.grad(), g.attr("kernel_size"), g.attr("stride"), g.attr("padding"),
                           g.attr("ceil_mode"), g.attr("count_include_pad")));
}

namespace {

/// Means over `parts` windows of one axis.
Tensor pool_axis(const Tensor& input, int axis, std::int64_t parts) {
  const std::int64_t size = input.shape()[axis];
  std::vector<Tensor> means;
  for (std::int64_t i = 0; i < parts; ++i) {
    const std::int64_t begin = i * size / parts;
    const std::int64_t end = ((i + 1) * size + parts - 1) / parts;
    means.push_back(mean(slice(input, axis, begin, end), axis, true));
  }
  return means.size() == 1 ? means[0] : concatenate(means, axis);
}

}  // namespace

void AdaptiveAvgPool2d::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Tensor& input = args.inputs[0];
  const Shape& shape = input.shape();
  check<ShapeError>((shape.rank() == 3 || shape.rank() == 4) && shape.numel() > 0,
                    "adaptive_avg_pool2d: input is {}; expected three or four axes with elements",
                    shape);
  const int row = shape.rank() - 2;
  const std::int64_t rows = entry(args, "output_size", 0, 1);
  const std::int64_t columns = entry(args, "output_size", 1, 1);
  if (rows == 1 && columns == 1) {
    outputs.push_back(mean(input, Ints{-2, -1}, true));
  } else if (shape[row] % rows == 0 && shape[row + 1] % columns == 0) {
    outputs.push_back(avg_pool2d(input, Ints{shape[row] / rows, shape[row + 1] / columns}));
  } else {
    outputs.push_back(pool_axis(pool_axis(input, row, rows), row + 1, columns));
  }
}

}  // namespace rondo
