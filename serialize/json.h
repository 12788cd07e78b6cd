// JSON with a strict reader: caps, no repeated keys, and errors that name the field.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace rondo::serialize {

/// A JSON value as plain data. Objects keep the order of their fields. Numbers are 64-bit integers
/// when written without fraction and exponent, doubles otherwise.
class Json {
 public:
  using List = std::vector<Json>;
  using Field = std::pair<std::string, Json>;
  using Object = std::vector<Field>;
  using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Object>;

  Json() = default;  // null
  Json(bool value) : value_(value) {}
  Json(std::int64_t value) : value_(value) {}
  Json(int value) : value_(std::int64_t{value}) {}
  Json(double value) : value_(value) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(const char* value) : value_(std::string(value)) {}
  Json(List value) : value_(std::move(value)) {}
  Json(Object value) : value_(std::move(value)) {}

  const Value& value() const { return value_; }
  Value& value() { return value_; }

  /// The field of that name, or nullptr; null too if this is no object.
  const Json* find(std::string_view name) const;
  Json* find(std::string_view name);

  bool operator==(const Json&) const = default;

 private:
  Value value_;
};

struct JsonLimits {
  std::size_t max_bytes;
  std::size_t max_depth = 32;
  std::size_t max_values = 1U << 21;
};

/// Parses one JSON text. `what` opens error texts, for example "manifest".
/// Errors: FormatError for malformed text or UTF-8, numbers out of range, a key that appears twice
/// in an object, or anything past the limits.
Json parse_json(std::string_view text, std::string_view what, const JsonLimits& limits);

/// The text of a value: on one line, or indented for people. Errors: ArgumentError for text that is
/// not UTF-8 and for numbers that are not finite.
std::string print_json(const Json& value, bool indented);

/// A value and where it stands. Getters throw FormatErrors such as
/// `manifest: methods[0].name: expected text, got 3`.
class JsonView {
 public:
  /// The root. Both arguments must outlive every view made from this one.
  JsonView(const Json& value, std::string_view what) : value_(&value), what_(what) {}

  const Json& json() const { return *value_; }

  bool as_bool() const;
  std::int64_t as_integer(std::int64_t least, std::int64_t most) const;
  const std::string& as_text() const;
  std::vector<JsonView> as_list() const;
  std::vector<std::pair<std::string_view, JsonView>> as_object() const;

  /// The field of an object; `find` gives nothing where it is absent.
  JsonView at(std::string_view name) const;
  std::optional<JsonView> find(std::string_view name) const;
  /// Throws if the object has a field beside these.
  void allow_only(std::initializer_list<std::string_view> names) const;

  /// "manifest: methods[0].name".
  std::string where() const;
  /// Throws `<where>: <fault>`.
  [[noreturn]] void fail(std::string_view fault) const;

 private:
  JsonView(const Json& value, std::string_view what, std::string path)
      : value_(&value), what_(what), path_(std::move(path)) {}
  JsonView field(const Json& value, std::string_view name) const;
  const Json::Object& object() const;
  [[noreturn]] void fail_kind(std::string_view expected) const;

  const Json* value_;
  std::string_view what_;
  std::string path_;  // from the root, for example "methods[0].name"
};

}  // namespace rondo::serialize
