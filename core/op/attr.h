// Attributes: the arguments of an op that are structure, not data (axes, flags, kernel sizes,
// dtypes).
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "core/tensor/dtype.h"

namespace rondo {

using Ints = std::vector<std::int64_t>;

/// One attribute. `monostate` is None.
class Attr {
 public:
  using Value = std::variant<std::monostate, bool, std::int64_t, Dtype, Ints, std::string>;

  Attr() = default;
  Attr(Value value) : value_(std::move(value)) {}  // NOLINT(*-explicit-*)

  bool is_none() const { return std::holds_alternative<std::monostate>(value_); }
  bool as_bool() const { return std::get<bool>(value_); }
  std::int64_t as_int() const { return std::get<std::int64_t>(value_); }
  Dtype as_dtype() const { return std::get<Dtype>(value_); }
  const Ints& as_ints() const { return std::get<Ints>(value_); }
  const std::string& as_string() const { return std::get<std::string>(value_); }
  const Value& value() const { return value_; }
  bool operator==(const Attr&) const = default;

  /// As Python writes it: None, True, 3, [1, 2], float32, "text".
  std::string str() const;
  std::uint64_t hash() const;

 private:
  Value value_;
};

}  // namespace rondo
