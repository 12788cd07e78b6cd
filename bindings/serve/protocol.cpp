#include "bindings/serve/protocol.h"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <limits>

#include "bindings/serve/elements.h"
#include "core/base/error.h"
#include "serialize/json.h"

namespace rondo::serve {
namespace {

using serialize::Json;
using serialize::JsonView;
using serialize::Method;
using serialize::ValueSpec;

constexpr std::array<std::string_view, kDtypeCount> kDatatypes{
    "BOOL", "UINT8", "INT8", "INT16", "INT32", "INT64", "FP16", "BF16", "FP32", "FP64"};

Dtype read_datatype(const JsonView& field) {
  const std::string& text = field.as_text();
  for (std::size_t i = 0; i < kDatatypes.size(); ++i) {
    if (kDatatypes[i] == text) {
      return static_cast<Dtype>(i);
    }
  }
  field.fail(fmt::format("expected one of {}, got {}", fmt::join(kDatatypes, ", "), text));
}

Shape read_shape(const JsonView& field) {
  std::vector<std::int64_t> sizes;
  for (const JsonView& size : field.as_list()) {
    sizes.push_back(size.as_integer(0, std::numeric_limits<std::int64_t>::max()));
  }
  if (sizes.size() > static_cast<std::size_t>(kMaxRank)) {
    field.fail(fmt::format("it has {} axes; at most {}", sizes.size(), kMaxRank));
  }
  const Shape shape{std::span<const std::int64_t>(sizes)};
  checked_numel(shape, field.where());
  return shape;
}

std::optional<JsonView> find_parameter(const JsonView& object, std::string_view name) {
  const std::optional<JsonView> parameters = object.find("parameters");
  return parameters ? parameters->find(name) : std::nullopt;
}

bool flag(const JsonView& object, std::string_view name, bool otherwise) {
  const std::optional<JsonView> field = find_parameter(object, name);
  return field ? field->as_bool() : otherwise;
}

std::string names(const std::vector<ValueSpec>& specs) {
  std::string text;
  for (const ValueSpec& spec : specs) {
    text += (text.empty() ? "" : ", ") + spec.name;
  }
  return text;
}

/// The place in the signature of what a field names. Each may be named once.
std::size_t place(const JsonView& field, const std::vector<ValueSpec>& specs,
                  std::vector<bool>& seen) {
  const std::string& name = field.as_text();
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].name == name) {
      if (seen[i]) {
        field.fail(fmt::format("'{}' appears twice", name));
      }
      seen[i] = true;
      return i;
    }
  }
  field.fail(fmt::format("there is no '{}'; expected {}", name, names(specs)));
}

/// Takes tensors off the binary data behind the JSON, one after another.
class BinaryData {
 public:
  explicit BinaryData(std::string_view bytes) : rest_(bytes) {}

  Tensor take(const JsonView& size_field, Dtype dtype, const Shape& shape) {
    const auto size = static_cast<std::size_t>(
        size_field.as_integer(0, std::numeric_limits<std::int64_t>::max()));
    const auto needed = static_cast<std::size_t>(size_bytes(dtype, shape.numel()));
    if (size != needed) {
      size_field.fail(fmt::format("it is {}; shape {} of {} needs {}", size, shape,
                                  datatype_name(dtype), needed));
    }
    if (size > rest_.size()) {
      size_field.fail(fmt::format(
          "it is {}; {} bytes of binary data are left behind the JSON, whose length the header "
          "Inference-Header-Content-Length tells",
          size, rest_.size()));
    }
    const Tensor tensor = Tensor::empty(shape, dtype);
    if (size != 0) {
      std::memcpy(tensor.data(), rest_.data(), size);
    }
    if (dtype == Dtype::boolean) {
      auto* bytes = tensor.data_as<std::uint8_t>();
      for (std::size_t i = 0; i < size; ++i) {
        bytes[i] = bytes[i] != 0 ? 1 : 0;
      }
    }
    rest_.remove_prefix(size);
    return tensor;
  }
  std::size_t left() const { return rest_.size(); }

 private:
  std::string_view rest_;
};

Tensor read_input(const JsonView& input, BinaryData& binary) {
  input.allow_only({"name", "shape", "datatype", "parameters", "data"});
  const Dtype dtype = read_datatype(input.at("datatype"));
  const Shape shape = read_shape(input.at("shape"));
  const std::optional<JsonView> size = find_parameter(input, "binary_data_size");
  if (!size) {
    return read_elements(input.at("data"), dtype, shape);
  }
  if (const std::optional<JsonView> data = input.find("data")) {
    data->fail("the input has parameters.binary_data_size too; expected one of the two");
  }
  return binary.take(*size, dtype, shape);
}

const Method& read_method(const JsonView& root, const serialize::Manifest& manifest) {
  const std::optional<JsonView> named = find_parameter(root, "method");
  std::string all;
  for (const Method& method : manifest.methods) {
    if (named && method.name == named->as_text()) {
      return method;
    }
    all += (all.empty() ? "" : ", ") + method.name;
  }
  if (named) {
    named->fail(fmt::format("there is no method '{}'; the archive has {}", named->as_text(), all));
  }
  const Method* method = default_method(manifest);
  if (method == nullptr) {
    root.fail(fmt::format("parameters.method is missing; the archive has {}", all));
  }
  return *method;
}

void read_inputs(const JsonView& list, const Method& method, BinaryData& binary,
                 InferRequest& request) {
  std::vector<bool> seen(method.inputs.size(), false);
  request.inputs.resize(method.inputs.size());
  for (const JsonView& input : list.as_list()) {
    const std::size_t index = place(input.at("name"), method.inputs, seen);
    request.inputs[index] = read_input(input, binary);
  }
  for (std::size_t i = 0; i < seen.size(); ++i) {
    if (!seen[i]) {
      list.fail(fmt::format("input '{}' is missing", method.inputs[i].name));
    }
  }
}

void read_outputs(const JsonView& root, const Method& method, InferRequest& request) {
  const bool binary = flag(root, "binary_data_output", false);
  const std::optional<JsonView> list = root.find("outputs");
  if (!list || list->as_list().empty()) {
    for (std::size_t i = 0; i < method.outputs.size(); ++i) {
      request.outputs.push_back({i, binary});
    }
    return;
  }
  std::vector<bool> seen(method.outputs.size(), false);
  for (const JsonView& output : list->as_list()) {
    output.allow_only({"name", "parameters"});
    request.outputs.push_back(
        {place(output.at("name"), method.outputs, seen), flag(output, "binary_data", binary)});
  }
}

std::string quoted(std::string_view text) {
  return serialize::print_json(Json(text), false);
}

Json values_metadata(const std::vector<ValueSpec>& specs) {
  Json::List list;
  for (const ValueSpec& spec : specs) {
    Json::List shape;
    for (const serialize::Dimension& dim : spec.shape) {
      shape.emplace_back(dim.is_constant() ? dim.constant() : std::int64_t{-1});
    }
    list.emplace_back(Json::Object{
        {"name", spec.name}, {"datatype", datatype_name(spec.dtype)}, {"shape", std::move(shape)}});
  }
  return list;
}

}  // namespace

std::string_view datatype_name(Dtype dtype) {
  return kDatatypes.at(static_cast<std::size_t>(dtype));
}

const Method* default_method(const serialize::Manifest& manifest) {
  for (const Method& method : manifest.methods) {
    if (method.name == "forward" || manifest.methods.size() == 1) {
      return &method;
    }
  }
  return nullptr;
}

InferRequest parse_infer(const serialize::Manifest& manifest, std::string_view body,
                         std::optional<std::size_t> json_bytes) {
  const std::size_t length = json_bytes.value_or(body.size());
  check<FormatError>(length <= body.size(),
                     "request: Inference-Header-Content-Length is {}; the body has {} bytes",
                     length, body.size());
  const Json json = serialize::parse_json(body.substr(0, length), "request", {.max_bytes = length});
  const JsonView root(json, "request");
  root.allow_only({"id", "parameters", "inputs", "outputs"});
  InferRequest request;
  if (const std::optional<JsonView> id = root.find("id")) {
    request.id = id->as_text();
  }
  const Method& method = read_method(root, manifest);
  request.method = method.name;
  BinaryData binary(body.substr(length));
  read_inputs(root.at("inputs"), method, binary, request);
  read_outputs(root, method, request);
  check<FormatError>(binary.left() == 0,
                     "request: {} bytes follow the binary data that the inputs name",
                     binary.left());
  return request;
}

InferResponse print_infer(std::string_view model, const serialize::Manifest& manifest,
                          const InferRequest& request, const std::vector<Tensor>& outputs) {
  const Method* method = nullptr;
  for (const Method& candidate : manifest.methods) {
    method = candidate.name == request.method ? &candidate : method;
  }
  invariant(method != nullptr, "an answer for a method that the archive does not have");
  InferResponse response;
  std::string& body = response.body;
  std::string binary;
  body = "{\"model_name\":" + quoted(model) + ",\"model_version\":\"1\"";
  if (!request.id.empty()) {
    body += ",\"id\":" + quoted(request.id);
  }
  body += ",\"outputs\":[";
  for (const OutputRequest& wanted : request.outputs) {
    const Tensor& tensor = outputs.at(wanted.index);
    const std::string& name = method->outputs[wanted.index].name;
    body += body.back() == '[' ? "" : ",";
    body += fmt::format("{{\"name\":{},\"datatype\":\"{}\",\"shape\":[{}],", quoted(name),
                        datatype_name(tensor.dtype()), fmt::join(tensor.shape().span(), ","));
    if (wanted.binary) {
      const auto size = static_cast<std::size_t>(size_bytes(tensor.dtype(), tensor.numel()));
      body += fmt::format("\"parameters\":{{\"binary_data_size\":{}}}}}", size);
      binary.append(reinterpret_cast<const char*>(tensor.data()), size);
      response.json_bytes = 1;  // the true length is known at the end
    } else {
      body += "\"data\":";
      print_elements(tensor, name, body);
      body += '}';
    }
  }
  body += "]}";
  if (response.json_bytes != 0) {
    response.json_bytes = body.size();
    body += binary;
  }
  return response;
}

std::string print_server_metadata() {
  return serialize::print_json(Json::Object{{"name", "rondo"},
                                            {"version", serialize::runtime_version()},
                                            {"extensions", Json::List{"binary_tensor_data"}}},
                               false);
}

std::string print_model_metadata(std::string_view model, const serialize::Manifest& manifest) {
  Json::Object object{{"name", model}, {"versions", Json::List{"1"}}, {"platform", "rondo"}};
  if (const Method* method = default_method(manifest)) {
    object.emplace_back("inputs", values_metadata(method->inputs));
    object.emplace_back("outputs", values_metadata(method->outputs));
  }
  Json::List methods;
  for (const Method& method : manifest.methods) {
    methods.emplace_back(Json::Object{{"name", method.name},
                                      {"inputs", values_metadata(method.inputs)},
                                      {"outputs", values_metadata(method.outputs)}});
  }
  object.emplace_back("methods", std::move(methods));
  return serialize::print_json(object, false);
}

std::string print_readiness(std::string_view model, bool ready) {
  return serialize::print_json(Json::Object{{"name", model}, {"ready", ready}}, false);
}

std::string print_error(std::string_view text) {
  std::string plain(text);
  for (char& c : plain) {
    // Texts may quote bytes of a request that are not UTF-8.
    c = static_cast<unsigned char>(c) < 0x80 ? c : '?';
  }
  return serialize::print_json(Json::Object{{"error", plain}}, false);
}

}  // namespace rondo::serve
