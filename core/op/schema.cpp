#include "core/op/schema.h"

#include <charconv>

#include "core/base/error.h"

namespace rondo {
namespace {

std::string_view trim(std::string_view s) {
  while (!s.empty() && s.front() == ' ') {
    s.remove_prefix(1);
  }
  while (!s.empty() && s.back() == ' ') {
    s.remove_suffix(1);
  }
  return s;
}

ArgType parse_type(std::string_view name) {
  struct Row {
    std::string_view name;
    ArgType type;
  };
  constexpr Row kRows[] = {
      {"Tensor", ArgType::tensor}, {"Tensor[]", ArgType::tensor_list}, {"Scalar", ArgType::scalar},
      {"int", ArgType::integer},   {"int[]", ArgType::ints},           {"size[]", ArgType::sizes},
      {"bool", ArgType::boolean},  {"Dtype", ArgType::dtype},          {"str", ArgType::string}};
  for (const Row& row : kRows) {
    if (row.name == name) {
      return row.type;
    }
  }
  fail<InternalError>("schema: unknown type '{}'", name);
}

std::int64_t parse_int(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.begin(), text.end(), value);
  check<InternalError>(error == std::errc{} && end == text.end(), "schema: '{}' is no integer",
                       text);
  return value;
}

Scalar parse_scalar(std::string_view text) {
  if (text.find_first_of(".e") == std::string_view::npos) {
    return Scalar(static_cast<long>(parse_int(text)));
  }
  return Scalar(std::stod(std::string(text)));
}

Ints parse_ints(std::string_view text) {
  Ints values;
  text = text.substr(1, text.size() - 2);
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    values.push_back(parse_int(trim(text.substr(0, comma))));
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
  }
  return values;
}

void parse_default(SchemaArg& arg, std::string_view text) {
  arg.has_default = true;
  if (text == "None") {
    return;
  }
  arg.default_none = false;
  switch (arg.type) {
    case ArgType::scalar:
      arg.default_scalar = parse_scalar(text);
      break;
    case ArgType::boolean:
      arg.default_attr = Attr(text == "True");
      break;
    case ArgType::integer:
      arg.default_attr = Attr(parse_int(text));
      break;
    case ArgType::ints:
    case ArgType::sizes:
      arg.default_attr = Attr(text.front() == '[' ? parse_ints(text) : Ints{parse_int(text)});
      break;
    case ArgType::dtype:
      arg.default_attr = Attr(dtype_from_name(text));
      break;
    default:
      arg.default_attr = Attr(std::string(text.substr(1, text.size() - 2)));
  }
}

SchemaArg parse_arg(std::string_view text) {
  SchemaArg arg;
  const std::size_t space = text.find(' ');
  std::string_view type = text.substr(0, space);
  std::string_view rest = trim(text.substr(space + 1));
  if (type.back() == '?') {
    arg.optional = true;
    arg.has_default = true;
    type.remove_suffix(1);
  }
  arg.type = parse_type(type);
  const std::size_t equals = rest.find('=');
  arg.name = rest.substr(0, equals);
  if (equals != std::string_view::npos) {
    parse_default(arg, rest.substr(equals + 1));
  }
  return arg;
}

/// Cuts `text` at commas outside of brackets.
std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ',';
    depth += c == '[' ? 1 : (c == ']' ? -1 : 0);
    if (c == ',' && depth == 0) {
      const std::string_view part = trim(text.substr(begin, i - begin));
      if (!part.empty()) {
        parts.push_back(part);
      }
      begin = i + 1;
    }
  }
  return parts;
}

}  // namespace

int ParsedSchema::find(std::string_view arg) const {
  if (arg == "axis") {
    arg = "dim";
  }
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i].name == arg) {
      return static_cast<int>(i);
    }
  }
  return -1;
}

ParsedSchema parse_schema(std::string_view text) {
  const std::size_t open = text.find('(');
  const std::size_t arrow = text.find(") -> ");
  check<InternalError>(open != std::string_view::npos && arrow != std::string_view::npos,
                       "schema: '{}' is not of the form name(...) -> Tensor", text);
  ParsedSchema schema;
  schema.name = text.substr(0, open);
  for (const std::string_view part : split(text.substr(open + 1, arrow - open - 1))) {
    schema.args.push_back(parse_arg(part));
    const SchemaArg& arg = schema.args.back();
    (arg.is_operand() ? schema.operands : schema.attributes) += 1;
    schema.takes_list = schema.takes_list || arg.type == ArgType::tensor_list;
  }
  const std::string_view result = text.substr(arrow + 5);
  if (result.front() == '(') {
    for (const std::string_view part : split(result.substr(1, result.size() - 2))) {
      const std::size_t space = part.find(' ');
      schema.output_names.push_back(space == std::string_view::npos ? "" : part.substr(space + 1));
    }
    schema.outputs = static_cast<int>(schema.output_names.size());
  }
  return schema;
}

}  // namespace rondo
