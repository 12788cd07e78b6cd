// Manifests as JSON.
#include <fmt/format.h>

#include "core/base/error.h"
#include "serialize/manifest_fields.h"

namespace rondo::serialize {
namespace {

template <class E, std::size_t N>
Json json_of(E value, const std::array<std::string_view, N>& names) {
  return names.at(static_cast<std::size_t>(value));
}

template <class Items, class ToJson>
Json list_of(const Items& items, ToJson to_json) {
  Json::List list;
  list.reserve(items.size());
  for (const auto& item : items) {
    list.push_back(to_json(item));
  }
  return list;
}

Json texts(const std::vector<std::string>& items) {
  return list_of(items, [](const std::string& item) { return Json(item); });
}

Json json_of(const Dimension& dimension) {
  return dimension.is_constant() ? Json(dimension.constant()) : Json(dimension.text());
}

Json json_of(const ValueSpec& spec) {
  return Json::Object{
      {"name", spec.name},
      {"dtype", dtype_name(spec.dtype)},
      {"shape", list_of(spec.shape, [](const Dimension& size) { return json_of(size); })},
      {"device", spec.device}};
}

Json specs(const std::vector<ValueSpec>& items) {
  return list_of(items, [](const ValueSpec& item) { return json_of(item); });
}

Json json_of(const Guard& guard) {
  return Json::Object{
      {"condition", guard.condition}, {"source", guard.source}, {"message", guard.message}};
}

Json json_of(const Body& body) {
  Json::Object object{
      {"modes", list_of(body.modes, [](Mode mode) { return json_of(mode, kModeNames); })},
      {"code", body.code},
      {"guards", list_of(body.guards, [](const Guard& guard) { return json_of(guard); })},
      {"row_independent", body.row_dependence.empty() ? Json(true) : Json(body.row_dependence)},
      {"mutable_buffers", texts(body.mutable_buffers)}};
  if (!body.rng.empty()) {
    object.emplace_back("rng", body.rng);
  }
  return object;
}

Json json_of(const Method& method) {
  return Json::Object{
      {"name", method.name},
      {"inputs", specs(method.inputs)},
      {"outputs", specs(method.outputs)},
      {"state", list_of(method.state,
                        [](const StateLink& link) {
                          return Json::Object{{"input", link.input}, {"output", link.output}};
                        })},
      {"bodies", list_of(method.bodies, [](const Body& body) { return json_of(body); })}};
}

Json::Object fields_of(const StoredTensor& tensor) {
  return {{"dtype", dtype_name(tensor.dtype)},
          {"shape", list_of(tensor.shape, [](std::int64_t size) { return Json(size); })},
          {"entry", tensor.entry},
          {"crc32", fmt::format("{:08x}", tensor.crc32)}};
}

Json json_of(const TensorRecord& tensor) {
  Json::Object object{{"name", tensor.name}};
  for (Json::Field& field : fields_of(tensor.data)) {
    object.push_back(std::move(field));
  }
  object.emplace_back("role", json_of(tensor.role, kRoleNames));
  object.emplace_back("requires_grad", tensor.requires_grad);
  object.emplace_back("device", tensor.device);
  object.emplace_back("aliases", texts(tensor.aliases));
  return object;
}

Json json_of(const GoldenCase& golden) {
  return Json::Object{{"method", golden.method},
                      {"mode", json_of(golden.mode, kModeNames)},
                      {"seed", golden.seed},
                      {"inputs", list_of(golden.inputs, fields_of)},
                      {"outputs", list_of(golden.outputs, fields_of)}};
}

Json json_of(const Manifest& manifest) {
  Json::Object ops;
  for (const OpVersion& op : manifest.ops) {
    ops.emplace_back(op.name, op.version);
  }
  return Json::Object{
      {"format_version", manifest.format_version},
      {"runtime", manifest.runtime},
      {"producer", manifest.producer},
      {"numerics", json_of(manifest.numerics, kNumericsNames)},
      {"ops", std::move(ops)},
      {"devices", list_of(manifest.devices,
                          [](const DeviceSlot& slot) {
                            return Json::Object{{"name", slot.name}, {"kind", slot.kind}};
                          })},
      {"methods", list_of(manifest.methods, [](const Method& m) { return json_of(m); })},
      {"tensors", list_of(manifest.tensors, [](const TensorRecord& t) { return json_of(t); })},
      {"golden", list_of(manifest.golden, [](const GoldenCase& g) { return json_of(g); })}};
}

}  // namespace

std::string print_manifest(const Manifest& manifest) {
  std::string text = print_json(json_of(manifest), true) + "\n";
  // What is written must load; reading it back costs little beside the weights.
  try {
    parse_manifest(text);
  } catch (const FormatError& error) {
    fail<ArgumentError>("save: {}", error.what());
  }
  return text;
}

}  // namespace rondo::serialize
