#include "bindings/serve/elements.h"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <limits>

#include "bindings/serve/protocol.h"
#include "core/base/error.h"

namespace rondo::serve {
namespace {

using serialize::Json;
using serialize::JsonView;

/// Calls `body(T{})` with the C++ type of a dtype that JSON can hold.
template <class Body>
void visit_plain(Dtype dtype, const Body& body) {
  switch (dtype) {
    case Dtype::boolean:
      return body(bool{});
    case Dtype::uint8:
      return body(std::uint8_t{});
    case Dtype::int8:
      return body(std::int8_t{});
    case Dtype::int16:
      return body(std::int16_t{});
    case Dtype::int32:
      return body(std::int32_t{});
    case Dtype::int64:
      return body(std::int64_t{});
    case Dtype::float32:
      return body(float{});
    case Dtype::float64:
      return body(double{});
    case Dtype::float16:
    case Dtype::bfloat16:
      break;
  }
  invariant(false, "a dtype without a JSON form");
}

bool has_json_form(Dtype dtype) {
  return dtype != Dtype::float16 && dtype != Dtype::bfloat16;
}

/// Whether the list has lists inside, as the shape has axes; else it is flat.
bool is_nested(const Json::List& list, const Shape& shape) {
  return shape.rank() > 1 && !list.empty() && std::holds_alternative<Json::List>(list[0].value());
}

/// Walks the lists and stores elements one after another.
template <class T>
class Reader {
 public:
  Reader(const JsonView& where, Dtype dtype, const Shape& shape, T* out)
      : where_(where), dtype_(dtype), shape_(shape), out_(out) {}

  void read(const Json::List& list) {
    if (is_nested(list, shape_)) {
      read_axis(list, 0);
      return;
    }
    const std::int64_t count = shape_.numel();
    if (static_cast<std::int64_t>(list.size()) != count) {
      where_.fail(fmt::format("it has {} elements; shape {} needs {}", list.size(), shape_, count));
    }
    read_flat(list);
  }

 private:
  void read_axis(const Json::List& list, int axis) {
    if (static_cast<std::int64_t>(list.size()) != shape_[axis]) {
      where_.fail(fmt::format("a list along axis {} has {} elements; shape {} needs {}", axis,
                              list.size(), shape_, shape_[axis]));
    }
    if (axis + 1 == shape_.rank()) {
      read_flat(list);
      return;
    }
    for (const Json& inner : list) {
      const auto* found = std::get_if<Json::List>(&inner.value());
      if (found == nullptr) {
        where_.fail(fmt::format("expected a list along axis {}, as shape {} has {} axes", axis + 1,
                                shape_, shape_.rank()));
      }
      read_axis(*found, axis + 1);
    }
  }

  void read_flat(const Json::List& list) {
    for (const Json& element : list) {
      store(element);
      ++next_;
    }
  }

  void store(const Json& element) {
    const auto* integer = std::get_if<std::int64_t>(&element.value());
    if constexpr (std::is_same_v<T, bool>) {
      const auto* truth = std::get_if<bool>(&element.value());
      if (truth == nullptr && (integer == nullptr || (*integer != 0 && *integer != 1))) {
        fail(element, "true, false, 0 or 1");
      }
      out_[next_] = truth != nullptr ? *truth : *integer != 0;
    } else if constexpr (std::is_integral_v<T>) {
      constexpr std::int64_t kLeast = std::numeric_limits<T>::min();
      constexpr std::int64_t kMost = std::numeric_limits<T>::max();
      if (integer == nullptr || *integer < kLeast || *integer > kMost) {
        fail(element, fmt::format("a whole number from {} to {}", kLeast, kMost));
      }
      out_[next_] = static_cast<T>(*integer);
    } else {
      const auto* real = std::get_if<double>(&element.value());
      if (integer == nullptr && real == nullptr) {
        fail(element, "a number");
      }
      out_[next_] = static_cast<T>(integer != nullptr ? static_cast<double>(*integer) : *real);
      if (!std::isfinite(out_[next_])) {
        fail(element, "a number in its range");
      }
    }
  }

  [[noreturn]] void fail(const Json& element, std::string_view expected) const {
    const std::string text = std::holds_alternative<Json::List>(element.value()) ||
                                     std::holds_alternative<Json::Object>(element.value())
                                 ? "a list or an object"
                                 : serialize::print_json(element, false);
    where_.fail(
        fmt::format("element {} is {}; {} takes {}", next_, text, datatype_name(dtype_), expected));
  }

  const JsonView& where_;
  Dtype dtype_;
  const Shape& shape_;
  T* out_;
  std::int64_t next_ = 0;
};

template <class T>
void print_element(T value, std::string& out) {
  if constexpr (std::is_same_v<T, bool>) {
    out += value ? "true" : "false";
  } else if constexpr (std::is_integral_v<T>) {
    const fmt::format_int text(value);
    out.append(text.data(), text.size());
  } else if (value == 0) {
    out += std::signbit(value) ? "-0.0" : "0.0";  // a bare -0 would be read as an integer
  } else {
    fmt::format_to(std::back_inserter(out), "{}", value);
  }
}

}  // namespace

Tensor read_elements(const JsonView& data, Dtype dtype, const Shape& shape) {
  if (!has_json_form(dtype)) {
    data.fail(fmt::format("{} has no JSON form; send it as binary data, with binary_data_size",
                          datatype_name(dtype)));
  }
  const auto* list = std::get_if<Json::List>(&data.json().value());
  if (list == nullptr) {
    data.fail("expected a list of elements");
  }
  // At most as many elements as the text may hold are allocated, whatever the shape says.
  const auto most = is_nested(*list, shape) ? serialize::JsonLimits{0}.max_values : list->size();
  if (shape.numel() > static_cast<std::int64_t>(most)) {
    data.fail(
        fmt::format("it has {} elements; shape {} needs {}", list->size(), shape, shape.numel()));
  }
  const Tensor tensor = Tensor::empty(shape, dtype);
  visit_plain(dtype,
              [&]<class T>(T) { Reader<T>(data, dtype, shape, tensor.data_as<T>()).read(*list); });
  return tensor;
}

void print_elements(const Tensor& tensor, std::string_view name, std::string& out) {
  check<ArgumentError>(
      has_json_form(tensor.dtype()),
      "infer: output '{}' is {}, which has no JSON form; ask for it with binary_data", name,
      datatype_name(tensor.dtype()));
  visit_plain(tensor.dtype(), [&]<class T>(T) {
    const T* elements = tensor.data_as<T>();
    const std::int64_t count = tensor.numel();
    out += '[';
    for (std::int64_t i = 0; i < count; ++i) {
      if constexpr (std::is_floating_point_v<T>) {
        check<ArgumentError>(std::isfinite(elements[i]),
                             "infer: output '{}': element {} is {}, which JSON cannot hold; ask "
                             "for it with binary_data",
                             name, i, elements[i]);
      }
      if (i != 0) {
        out += ',';
      }
      print_element(elements[i], out);
    }
    out += ']';
  });
}

}  // namespace rondo::serve
