// Binding of arguments to a schema: types, defaults and the texts of what does not fit.
#include <array>

#include "core/base/error.h"
#include "core/op/call.h"

namespace rondo {
namespace {

constexpr std::array<std::string_view, 9> kValueNames{
    "None", "Tensor", "list of Tensors", "bool", "int", "float", "dtype", "ints", "str"};

[[noreturn]] void wrong_type(const OpInfo& op, const SchemaArg& arg, const ArgValue& value) {
  fail<ArgumentError>("{}: {} is {}; expected {}", op.name, arg.name, value.type_name(),
                      arg_type_text(arg.type));
}

Tensor to_operand(const OpInfo& op, const SchemaArg& arg, const ArgValue& value) {
  if (const auto* tensor = std::get_if<Tensor>(&value.value())) {
    return *tensor;
  }
  if (const auto* b = std::get_if<bool>(&value.value())) {
    return Tensor::number(Scalar(*b));
  }
  if (const auto* i = std::get_if<std::int64_t>(&value.value())) {
    return Tensor::number(Scalar(static_cast<long>(*i)));
  }
  if (const auto* d = std::get_if<double>(&value.value())) {
    return Tensor::number(Scalar(*d));
  }
  wrong_type(op, arg, value);
}

void bind_operand(const OpInfo& op, const SchemaArg& arg, const ArgValue* value, BoundArgs& bound) {
  if (value == nullptr || value->is_none()) {
    check<ArgumentError>(arg.optional || (value == nullptr && arg.has_default),
                         "{}: {} is missing; expected {}", op.name, arg.name,
                         arg_type_text(arg.type));
    bound.inputs.push_back(
        value == nullptr && !arg.default_none ? Tensor::number(arg.default_scalar) : Tensor());
    return;
  }
  if (arg.type == ArgType::tensor_list) {
    const auto* list = std::get_if<std::vector<Tensor>>(&value->value());
    if (list == nullptr) {
      wrong_type(op, arg, *value);
    }
    bound.inputs.insert(bound.inputs.end(), list->begin(), list->end());
    return;
  }
  bound.inputs.push_back(to_operand(op, arg, *value));
}

Attr to_attr(const OpInfo& op, const SchemaArg& arg, const ArgValue& value) {
  const auto& v = value.value();
  const auto* i = std::get_if<std::int64_t>(&v);
  switch (arg.type) {
    case ArgType::integer:
      if (i != nullptr) {
        return Attr(*i);
      }
      break;
    case ArgType::ints:
    case ArgType::sizes:
      if (i != nullptr) {
        return Attr(Ints{*i});
      }
      if (const auto* list = std::get_if<Ints>(&v)) {
        return Attr(*list);
      }
      break;
    case ArgType::boolean:
      if (const auto* b = std::get_if<bool>(&v)) {
        return Attr(*b);
      }
      break;
    case ArgType::dtype:
      if (const auto* d = std::get_if<Dtype>(&v)) {
        return Attr(*d);
      }
      break;
    default:
      if (const auto* s = std::get_if<std::string>(&v)) {
        return Attr(*s);
      }
  }
  wrong_type(op, arg, value);
}

void bind_attr(const OpInfo& op, const SchemaArg& arg, const ArgValue* value, BoundArgs& bound) {
  if (value == nullptr) {
    check<ArgumentError>(arg.has_default, "{}: {} is missing; expected {}", op.name, arg.name,
                         arg_type_text(arg.type));
    bound.attrs.push_back(arg.default_attr);
    return;
  }
  if (value->is_none()) {
    check<ArgumentError>(arg.optional, "{}: {} is None; expected {}", op.name, arg.name,
                         arg_type_text(arg.type));
    bound.attrs.emplace_back();
    return;
  }
  bound.attrs.push_back(to_attr(op, arg, *value));
}

}  // namespace

std::string_view arg_type_text(ArgType type) {
  switch (type) {
    case ArgType::tensor:
      return "Tensor";
    case ArgType::tensor_list:
      return "list of Tensors";
    case ArgType::scalar:
      return "number";
    case ArgType::integer:
      return "int";
    case ArgType::ints:
    case ArgType::sizes:
      return "int or ints";
    case ArgType::boolean:
      return "bool";
    case ArgType::dtype:
      return "dtype";
    default:
      return "str";
  }
}

ArgValue::ArgValue(const Scalar& v) {
  if (v.kind() == Dtype::boolean) {
    value_ = v.to_bool();
  } else if (v.is_floating()) {
    value_ = v.to_double();
  } else {
    value_ = v.to_int();
  }
}

ArgValue::ArgValue(const Attr& v) {
  std::visit([this](const auto& held) { value_ = held; }, v.value());
}

std::string_view ArgValue::type_name() const {
  return kValueNames.at(value_.index());
}

BoundArgs bind_args(const OpInfo& op, std::span<const ArgValue> args) {
  const std::vector<SchemaArg>& schema = op.schema.args;
  check<ArgumentError>(args.size() <= schema.size(), "{}: {} arguments; at most {} are taken",
                       op.name, args.size(), schema.size());
  BoundArgs bound;
  bound.inputs.reserve(schema.size());
  for (std::size_t i = 0; i < schema.size(); ++i) {
    const ArgValue* value = i < args.size() ? &args[i] : nullptr;
    if (schema[i].is_operand()) {
      bind_operand(op, schema[i], value, bound);
    } else {
      bind_attr(op, schema[i], value, bound);
    }
  }
  return bound;
}

}  // namespace rondo
