#include "core/ops/window.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/ops/index.h"
#include "core/ops/join.h"
#include "core/ops/reduce.h"
#include "core/ops/reshape.h"
#include "core/ops/window_geometry.h"

namespace rondo {

using detail::output_shape;
using detail::Window;
using detail::window_of;
using detail::WindowAxis;

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
    detail::for_planes(w, [&](std::int64_t plane) {
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
    detail::for_planes(w, [&](std::int64_t plane) {
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
  const std::int64_t rows = detail::size_entry(args, "output_size", 0, 1);
  const std::int64_t columns = detail::size_entry(args, "output_size", 1, 1);
  if (rows == 1 && columns == 1) {
    outputs.push_back(mean(input, Ints{-2, -1}, true));
  } else if (shape[row] % rows == 0 && shape[row + 1] % columns == 0) {
    outputs.push_back(avg_pool2d(input, Ints{shape[row] / rows, shape[row + 1] / columns}));
  } else {
    outputs.push_back(pool_axis(pool_axis(input, row, rows), row + 1, columns));
  }
}

}  // namespace rondo
