// Max pooling: the largest element of each window and its place, several windows at a time.
#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/ops/index.h"
#include "core/ops/join.h"
#include "core/ops/reshape.h"
#include "core/ops/window.h"
#include "core/ops/window_geometry.h"

namespace rondo {

using detail::output_shape;
using detail::Window;
using detail::window_of;
using detail::WindowAxis;

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

/// Elements `stride` apart, from `at` on; kStride is the stride where it is known, otherwise 0.
template <int kStride>
Floats spread(const float* at, std::int64_t stride) {
  Floats low;
  std::memcpy(&low, at, sizeof(low));
  if constexpr (kStride == 1) {
    return low;
  } else if constexpr (kStride == 2) {
    Floats high;  // not a float behind the last one
    std::memcpy(&high, at + 3, sizeof(high));
    return __builtin_shufflevector(low, high, 0, 2, 5, 7);
  } else {
    return Floats{at[0], at[stride], at[2 * stride], at[3 * stride]};
  }
}

/// The largest elements of kLanes windows beside each other, the first of which begins at `corner`.
/// Any NaN will do, and one is found by what it is not equal to: itself. kKernel is the size of a
/// square kernel where it is known, otherwise 0.
template <int kStride, int kKernel>
Floats largest_values(const float* corner, const Window& w) {
  const std::int64_t rows = kKernel != 0 ? kKernel : w.rows.kernel;
  const std::int64_t columns = kKernel != 0 ? kKernel : w.columns.kernel;
  Floats best = spread<kStride>(corner, w.columns.stride);
  Places unordered = best != best;
  for (std::int64_t i = 0; i < rows; ++i) {
    const float* row = corner + i * w.rows.dilation * w.columns.input;
    for (std::int64_t j = i == 0 ? 1 : 0; j < columns; ++j) {
      const Floats value = spread<kStride>(row + j * w.columns.dilation, w.columns.stride);
      unordered |= value != value;
      best = value > best ? value : best;
    }
  }
  return reinterpret_cast<Floats>(reinterpret_cast<Places>(best) | unordered);
}

/// The same with the places of the elements, as offsets from the corners.
template <int kStride>
Floats largest_with_places(const float* corner, const Window& w, Places& offset) {
  Floats best = spread<kStride>(corner, w.columns.stride);
  offset = Places{};
  for (std::int64_t i = 0; i < w.rows.kernel; ++i) {
    std::int64_t next = i * w.rows.dilation * w.columns.input;
    for (std::int64_t j = 0; j < w.columns.kernel; ++j, next += w.columns.dilation) {
      const Floats value = spread<kStride>(corner + next, w.columns.stride);
      const Places larger = ~(value <= best) & (best == best);
      best = larger ? value : best;
      offset = larger ? Places{} + static_cast<std::int32_t>(next) : offset;
    }
  }
  return best;
}

/// `count` windows beside each other, kLanes at a time, the last ones perhaps twice.
template <int kStride, int kKernel>
void largest_side_by_side(const float* plane, const Window& w, std::int64_t first,
                          std::int64_t count, float* values, std::int64_t* places) {
  for (std::int64_t done = 0; done < count; done += kLanes) {
    const std::int64_t column = std::min(done, count - kLanes);
    const std::int64_t corner = first + column * w.columns.stride;
    Floats best;
    if (places == nullptr) {
      best = largest_values<kStride, kKernel>(plane + corner, w);
    } else {
      Places offset;
      best = largest_with_places<kStride>(plane + corner, w, offset);
      for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        places[column + lane] = corner + lane * w.columns.stride + offset[lane];
      }
    }
    std::memcpy(values + column, &best, sizeof(best));
  }
}

using SideBySide = decltype(&largest_side_by_side<0, 0>);

template <int kStride>
SideBySide side_by_side_for_kernel(const Window& w) {
  const bool square = w.rows.kernel == w.columns.kernel;
  return square && w.rows.kernel == 2   ? largest_side_by_side<kStride, 2>
         : square && w.rows.kernel == 3 ? largest_side_by_side<kStride, 3>
                                        : largest_side_by_side<kStride, 0>;
}

SideBySide side_by_side_for(const Window& w) {
  return w.columns.stride == 1   ? side_by_side_for_kernel<1>(w)
         : w.columns.stride == 2 ? side_by_side_for_kernel<2>(w)
                                 : side_by_side_for_kernel<0>(w);
}

/// `count` windows beside each other that lie inside of the input; `places` may be null.
template <class Storage, class Element>
void largest_inside_all(const Storage* plane, const Window& w, std::int64_t first,
                        std::int64_t count, Storage* values, std::int64_t* places) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  if constexpr (std::is_same_v<Storage, float>) {
    if (count >= kLanes && w.rows.input * w.columns.input <= kMost) {
      side_by_side_for(w)(plane, w, first, count, values, places);
      return;
    }
  }
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t place = largest_inside<Element>(plane, w, first + i * w.columns.stride);
    values[i] = plane[place];
    if (places != nullptr) {
      places[i] = place;
    }
  }
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

/// Fills in one row of values, and of places if they are wanted; `inside` are those of columns,
/// none if the row is at a border.
template <class Element, class Storage = typename Element::Storage>
void largest_of_row(const Storage* plane, const Window& w, PlacesInside inside, std::int64_t row,
                    Storage* values, std::int64_t* places) {
  const std::int64_t first_row = w.rows.begin(row);
  const auto at_border = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t column = begin; column < end; ++column) {
      const std::int64_t place = largest_in<Element>(plane, w, first_row, w.columns.begin(column));
      values[column] = plane[place];
      if (places != nullptr) {
        places[column] = place;
      }
    }
  };
  at_border(0, inside.begin);
  largest_inside_all<Storage, Element>(plane, w,
                                       first_row * w.columns.input + w.columns.begin(inside.begin),
                                       inside.end - inside.begin, values + inside.begin,
                                       places != nullptr ? places + inside.begin : nullptr);
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
  const Tensor values = outputs[0].defined()
                            ? outputs[0]
                            : Tensor::empty(output_shape(w, input.shape()), input.dtype());
  detail::visit_floating(input.dtype(), [&](auto element) {
    using Element = decltype(element);
    using Storage = typename Element::Storage;
    const auto* from = detail::elements<Storage>(input);
    auto* to = detail::raw_elements<Storage>(values);
    auto* places = outputs[1].defined() ? detail::raw_elements<std::int64_t>(outputs[1]) : nullptr;
    detail::for_planes(w, [&](std::int64_t plane) {
      const auto* source = from + plane * w.rows.input * w.columns.input;
      for (std::int64_t row = 0; row < w.rows.output; ++row) {
        const std::int64_t at = (plane * w.rows.output + row) * w.columns.output;
        const bool border = row < rows.begin || row >= rows.end;
        largest_of_row<Element>(source, w, border ? none : columns, row, to + at,
                                places != nullptr ? places + at : nullptr);
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

}  // namespace rondo
