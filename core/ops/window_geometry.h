// The geometry of window ops: which elements of the input each window reads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "core/base/thread_pool.h"
#include "core/op/op_info.h"
#include "core/ops/memory.h"

namespace rondo::detail {

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

/// Number `i` of an attribute that lists one or two. Errors: ArgumentError.
std::int64_t size_entry(const OpArgs& args, std::string_view name, int i, std::int64_t least);

/// The windows that the attributes of a call describe. Errors: ArgumentError, ShapeError.
Window window_of(const OpArgs& args, const Shape& input, bool dilates);

Shape output_shape(const Window& window, const Shape& input);

/// Calls body(plane) for all, in parallel.
template <class Body>
void for_planes(const Window& w, const Body& body) {
  const double work = static_cast<double>(w.rows.output * w.columns.output) *
                      static_cast<double>(w.rows.kernel * w.columns.kernel);
  const auto grain = grain_for(static_cast<std::int64_t>(std::min(work, 1e15)));
  parallel_for(w.planes, grain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t plane = begin; plane < end; ++plane) {
      body(plane);
    }
  });
}

}  // namespace rondo::detail
