#include "serialize/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "serialize/text.h"

namespace rondo::serialize {
namespace {

using Parser = nlohmann::json;

// Receives what nlohmann's parser reads and builds the value, or stops with a fault. The functions
// have the names that the parser calls.
class Builder {
 public:
  explicit Builder(const JsonLimits& limits) : limits_(limits) {}

  Json take() { return std::move(root_); }
  const std::string& fault() const { return fault_; }

  bool null() { return add(Json()); }
  bool boolean(bool value) { return add(Json(value)); }
  bool number_integer(Parser::number_integer_t value) { return add(Json(std::int64_t{value})); }
  bool number_unsigned(Parser::number_unsigned_t value) {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return stop(fmt::format("{}the number {} does not fit into 64 bits", place_text(), value));
    }
    return add(Json(static_cast<std::int64_t>(value)));
  }
  bool number_float(Parser::number_float_t value, const std::string& text) {
    // The parser reads integers that are too long as doubles.
    if (text.find_first_of(".eE") == std::string::npos) {
      return stop(fmt::format("{}the number {} does not fit into 64 bits", place_text(), text));
    }
    return add(Json(value));
  }
  bool string(std::string& value) { return add(Json(std::move(value))); }
  bool binary(Parser::binary_t&) { return stop("binary values are not JSON"); }
  bool start_object(std::size_t) { return open(Json(Json::Object{})); }
  bool start_array(std::size_t) { return open(Json(Json::List{})); }
  bool end_array() {
    open_.pop_back();
    return true;
  }
  bool end_object() {
    // Sorting finds repeated keys without a quadratic search.
    const auto& fields = std::get<Json::Object>(open_.back()->value());
    std::vector<std::string_view> names;
    names.reserve(fields.size());
    for (const Json::Field& field : fields) {
      names.push_back(field.first);
    }
    std::ranges::sort(names);
    const auto twin = std::ranges::adjacent_find(names);
    if (twin != names.end()) {
      return stop(fmt::format("the key {} appears twice in an object", in_quotes(*twin)));
    }
    open_.pop_back();
    return true;
  }
  bool key(std::string& name) {
    std::get<Json::Object>(open_.back()->value()).emplace_back(std::move(name), Json());
    return true;
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) {
    // The parser's text begins with "[json.exception.parse_error.101] ".
    const std::string_view text = error.what();
    const std::size_t begin = text.find("] ");
    const bool overflow = error.id == 406;
    return stop((overflow ? place_text() : "") +
                printable(text.substr(begin == std::string_view::npos ? 0 : begin + 2), 300));
  }

 private:
  /// Where the value that is read stands, as "inputs[0].data[2]: "; nothing at the top.
  std::string place_text() const {
    std::string text;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      if (const auto* list = std::get_if<Json::List>(&open_[i]->value())) {
        text += fmt::format("[{}]", i + 1 == open_.size() ? list->size() : list->size() - 1);
      } else {
        const std::string& key = std::get<Json::Object>(open_[i]->value()).back().first;
        text += (text.empty() ? "" : ".") + printable(key, 40);
      }
    }
    return text.empty() ? text : text + ": ";
  }

  bool stop(std::string fault) {
    fault_ = std::move(fault);
    return false;
  }

  bool add(Json value) { return place(std::move(value)) != nullptr; }

  bool open(Json value) {
    if (open_.size() == limits_.max_depth) {
      return stop(fmt::format("nested deeper than {} levels", limits_.max_depth));
    }
    Json* placed = place(std::move(value));
    if (placed != nullptr) {
      open_.push_back(placed);
    }
    return placed != nullptr;
  }

  // Puts a value where it belongs. Pointers in `open_` stay valid: a parent grows only while none
  // of its children is open.
  Json* place(Json value) {
    if (++count_ > limits_.max_values) {
      stop(fmt::format("more than {} values", limits_.max_values));
      return nullptr;
    }
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Json::Value& parent = open_.back()->value();
    if (auto* list = std::get_if<Json::List>(&parent)) {
      return &list->emplace_back(std::move(value));
    }
    Json& slot = std::get<Json::Object>(parent).back().second;
    slot = std::move(value);
    return &slot;
  }

  const JsonLimits& limits_;
  Json root_;
  std::vector<Json*> open_;
  std::size_t count_ = 0;
  std::string fault_;
};

// Short forms for error texts.
std::string describe(const Json& json) {
  struct Describe {
    std::string operator()(std::monostate) const { return "null"; }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
    std::string operator()(double value) const { return fmt::format("{}", value); }
    std::string operator()(const std::string& value) const { return in_quotes(value, 40); }
    std::string operator()(const Json::List&) const { return "a list"; }
    std::string operator()(const Json::Object&) const { return "an object"; }
  };
  return std::visit(Describe{}, json.value());
}

class Printer {
 public:
  explicit Printer(bool indented) : indented_(indented) {}

  std::string take() { return std::move(text_); }

  void print(const Json& json) {
    std::visit([this](const auto& value) { print_value(value); }, json.value());
  }

 private:
  void print_value(std::monostate) { text_ += "null"; }
  void print_value(bool value) { text_ += value ? "true" : "false"; }
  void print_value(std::int64_t value) { text_ += fmt::format("{}", value); }
  void print_value(double value) {
    check<ArgumentError>(std::isfinite(value), "json: not a finite number: {}", value);
    text_ += Parser(value).dump();
  }
  void print_value(const std::string& value) {
    check<ArgumentError>(is_utf8(value), "json: not UTF-8: {}", in_quotes(value));
    text_ += Parser(value).dump();
  }
  void print_value(const Json::List& list) {
    // Lists of plain values (shapes, names) stay on one line.
    const bool plain = std::ranges::none_of(list, [](const Json& item) {
      return std::holds_alternative<Json::List>(item.value()) ||
             std::holds_alternative<Json::Object>(item.value());
    });
    print_items('[', ']', list, plain, [this](const Json& item) { print(item); });
  }
  void print_value(const Json::Object& object) {
    print_items('{', '}', object, false, [this](const Json::Field& field) {
      print_value(field.first);
      text_ += indented_ ? ": " : ":";
      print(field.second);
    });
  }

  template <class Items, class PrintItem>
  void print_items(char open, char close, const Items& items, bool one_line, PrintItem print_item) {
    text_ += open;
    ++depth_;
    bool first = true;
    for (const auto& item : items) {
      if (!first) {
        text_ += indented_ && one_line ? ", " : ",";
      }
      first = false;
      break_line(one_line);
      print_item(item);
    }
    --depth_;
    break_line(one_line || items.empty());
    text_ += close;
  }

  void break_line(bool one_line) {
    if (indented_ && !one_line) {
      text_ += '\n';
      text_.append(depth_, ' ');
    }
  }

  bool indented_;
  std::size_t depth_ = 0;
  std::string text_;
};

}  // namespace

const Json* Json::find(std::string_view name) const {
  const auto* fields = std::get_if<Object>(&value_);
  if (fields == nullptr) {
    return nullptr;
  }
  const auto found = std::ranges::find(*fields, name, &Field::first);
  return found != fields->end() ? &found->second : nullptr;
}

Json* Json::find(std::string_view name) {
  return const_cast<Json*>(std::as_const(*this).find(name));
}

Json parse_json(std::string_view text, std::string_view what, const JsonLimits& limits) {
  check<FormatError>(text.size() <= limits.max_bytes, "{}: too long: {} bytes; the limit is {}",
                     what, text.size(), limits.max_bytes);
  Builder builder(limits);
  if (!Parser::sax_parse(text.begin(), text.end(), &builder)) {
    fail<FormatError>("{}: {}", what, builder.fault());
  }
  return builder.take();
}

std::string print_json(const Json& value, bool indented) {
  Printer printer(indented);
  printer.print(value);
  return printer.take();
}

bool JsonView::as_bool() const {
  const auto* value = std::get_if<bool>(&value_->value());
  if (value == nullptr) {
    fail_kind("true or false");
  }
  return *value;
}

std::int64_t JsonView::as_integer(std::int64_t least, std::int64_t most) const {
  const auto* value = std::get_if<std::int64_t>(&value_->value());
  if (value == nullptr) {
    fail_kind("an integer");
  }
  if (*value < least || *value > most) {
    fail_kind(fmt::format("an integer from {} to {}", least, most));
  }
  return *value;
}

const std::string& JsonView::as_text() const {
  const auto* value = std::get_if<std::string>(&value_->value());
  if (value == nullptr) {
    fail_kind("text");
  }
  return *value;
}

std::vector<JsonView> JsonView::as_list() const {
  const auto* list = std::get_if<Json::List>(&value_->value());
  if (list == nullptr) {
    fail_kind("a list");
  }
  std::vector<JsonView> views;
  views.reserve(list->size());
  for (std::size_t i = 0; i < list->size(); ++i) {
    views.push_back(JsonView((*list)[i], what_, fmt::format("{}[{}]", path_, i)));
  }
  return views;
}

std::vector<std::pair<std::string_view, JsonView>> JsonView::as_object() const {
  std::vector<std::pair<std::string_view, JsonView>> views;
  views.reserve(object().size());
  for (const auto& [name, value] : object()) {
    views.emplace_back(name, field(value, name));
  }
  return views;
}

JsonView JsonView::at(std::string_view name) const {
  if (auto found = find(name)) {
    return *std::move(found);
  }
  fail(fmt::format("the field {} is missing", in_quotes(name)));
}

std::optional<JsonView> JsonView::find(std::string_view name) const {
  object();
  const Json* found = value_->find(name);
  return found != nullptr ? std::optional(field(*found, name)) : std::nullopt;
}

void JsonView::allow_only(std::initializer_list<std::string_view> names) const {
  for (const auto& [name, value] : object()) {
    if (std::ranges::find(names, name) == names.end()) {
      fail(fmt::format("the field {} is unknown", in_quotes(name)));
    }
  }
}

std::string JsonView::where() const {
  return fmt::format("{}{}{}", what_, path_.empty() ? "" : ": ", path_);
}

void JsonView::fail(std::string_view fault) const {
  rondo::fail<FormatError>("{}: {}", where(), fault);
}

void JsonView::fail_kind(std::string_view expected) const {
  fail(fmt::format("expected {}, got {}", expected, describe(*value_)));
}

JsonView JsonView::field(const Json& value, std::string_view name) const {
  return {value, what_, fmt::format("{}{}{}", path_, path_.empty() ? "" : ".", printable(name))};
}

const Json::Object& JsonView::object() const {
  const auto* fields = std::get_if<Json::Object>(&value_->value());
  if (fields == nullptr) {
    fail_kind("an object");
  }
  return *fields;
}

}  // namespace rondo::serialize
