#include "core/ops/window_geometry.h"

#include <limits>

#include "core/base/error.h"

namespace rondo::detail {
namespace {

/// Larger numbers in attributes are refused, so that nothing computed of them overflows.
constexpr std::int64_t kLargest = std::numeric_limits<std::int32_t>::max();

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
  axis.kernel = size_entry(args, "kernel_size", i, 1);
  axis.stride = args.attr("stride").is_none() ? axis.kernel : size_entry(args, "stride", i, 1);
  axis.padding = size_entry(args, "padding", i, 0);
  axis.dilation = dilates ? size_entry(args, "dilation", i, 1) : 1;
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

}  // namespace

std::int64_t size_entry(const OpArgs& args, std::string_view name, int i, std::int64_t least) {
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

}  // namespace rondo::detail
