#include "core/graph/flow.h"

#include <fmt/format.h>

namespace rondo {
namespace {

std::string print_use(const FlowUse& use) {
  if (use.value < 0) {
    return "None";
  }
  std::string text = fmt::format("%{}", use.value);
  if (use.view.kind == UseView::Kind::opaque) {
    text += "{opaque}";
  } else if (use.view.kind == UseView::Kind::axes) {
    text += "{";
    for (int i = 0; i < use.view.rank; ++i) {
      text += fmt::format("{}{}", i > 0 ? " " : "",
                          static_cast<int>(use.view.axis[static_cast<std::size_t>(i)]));
    }
    text += "}";
  }
  return text;
}

}  // namespace

UseView view_between(const Tensor& use, const Shape& shape, const Shape& strides,
                     std::int64_t offset) {
  UseView view;
  view.rank = static_cast<std::int8_t>(use.rank());
  view.ones = ones_mask(use.shape());
  if (use.offset() == offset && use.shape() == shape && use.strides() == strides) {
    return view;
  }
  view.kind = UseView::Kind::opaque;
  if (use.offset() != offset) {
    return view;
  }
  std::uint32_t taken = 0;
  for (int i = 0; i < use.rank(); ++i) {
    int match = -1;
    if (use.shape()[i] != 1 && use.strides()[i] != 0) {
      for (int j = 0; j < shape.rank() && match < 0; ++j) {
        const bool same = shape[j] == use.shape()[i] && strides[j] == use.strides()[i];
        match = same && ((taken >> j) & 1U) == 0 ? j : -1;
      }
      if (match < 0) {
        return view;
      }
      taken |= 1U << match;
    }
    view.axis[static_cast<std::size_t>(i)] = static_cast<std::int8_t>(match);
  }
  for (int j = 0; j < shape.rank(); ++j) {
    if (shape[j] != 1 && ((taken >> j) & 1U) == 0) {
      return view;  // an axis was cut down: which element is seen is not known here
    }
  }
  view.kind = UseView::Kind::axes;
  return view;
}

Shape shape_of_use(const UseView& view, const Shape& base) {
  if (view.kind == UseView::Kind::identity) {
    return base;
  }
  Shape shape = Shape::filled(view.rank, 1);
  for (int d = 0; d < view.rank; ++d) {
    const int axis = view.axis[static_cast<std::size_t>(d)];
    shape[d] = axis < 0 ? 1 : base[axis];
  }
  return shape;
}

std::uint8_t ones_mask(const Shape& shape) {
  std::uint8_t mask = 0;
  for (int i = 0; i < shape.rank(); ++i) {
    mask = static_cast<std::uint8_t>(mask | (shape[i] == 1 ? 1U << i : 0U));
  }
  return mask;
}

FlowValue describe(const Tensor& tensor) {
  FlowValue value;
  value.dtype = tensor.dtype();
  value.rank = static_cast<std::int8_t>(tensor.rank());
  value.ones = ones_mask(tensor.shape());
  value.sample = tensor.shape();
  value.weak = tensor.is_weak();
  value.immediate = tensor.is_immediate();
  return value;
}

std::string print(const Flow& flow) {
  std::string text;
  for (const FlowNode& node : flow.nodes) {
    std::string outputs;
    for (const int v : node.outputs) {
      const FlowValue& value = flow.values[static_cast<std::size_t>(v)];
      outputs += fmt::format("{}%{}:{}/{}{}", outputs.empty() ? "" : ", ", v,
                             dtype_name(value.dtype), static_cast<int>(value.rank),
                             flow.live[static_cast<std::size_t>(v)] != 0 ? "!" : "");
    }
    text += fmt::format("{} = {}{}(", outputs, node.op->name, node.in_place ? "_" : "");
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      text += (i > 0 ? ", " : "") + print_use(node.inputs[i]);
    }
    for (const Attr& attr : node.attrs) {
      text += "; " + attr.str();
    }
    text += ")\n";
  }
  return text;
}

}  // namespace rondo
