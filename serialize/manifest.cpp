#include "serialize/manifest.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/tensor/shape.h"
#include "serialize/manifest_fields.h"
#include "serialize/tensor_size.h"
#include "serialize/text.h"
#include "serialize/zip_format.h"

namespace rondo::serialize {
namespace {

constexpr std::string_view kWhat = "manifest";
constexpr std::int64_t kMaxVersion = 1'000'000;
constexpr std::size_t kMaxNameBytes = 512;

// Reading: one function for each struct, in the order of manifest.h.

template <class E, std::size_t N>
E read_enum(const JsonView& view, const std::array<std::string_view, N>& names) {
  const auto found = std::ranges::find(names, view.as_text());
  if (found == names.end()) {
    view.fail(fmt::format("expected one of {}, got {}", fmt::join(names, ", "),
                          in_quotes(view.as_text(), 40)));
  }
  return static_cast<E>(found - names.begin());
}

template <std::size_t N>
std::string read_choice(const JsonView& view, const std::array<std::string_view, N>& names) {
  return std::string(names[read_enum<std::size_t>(view, names)]);
}

// Names go into error texts, Python and URLs, so they are short and without control characters.
std::string read_name(const JsonView& view) {
  const std::string& name = view.as_text();
  if (name.empty() || name.size() > kMaxNameBytes || std::ranges::any_of(name, is_control)) {
    view.fail(fmt::format("expected 1 to {} bytes without control characters, got {}",
                          kMaxNameBytes, in_quotes(name, 40)));
  }
  return name;
}

std::string read_entry(const JsonView& view, std::string_view folder) {
  const std::string& entry = view.as_text();
  const char* fault = zip_name_fault(entry);
  if (fault == nullptr && !entry.starts_with(folder)) {
    view.fail(fmt::format("expected an entry below {}, got {}", folder, in_quotes(entry, 40)));
  }
  if (fault != nullptr) {
    view.fail(fmt::format("{}: {}", fault, in_quotes(entry, 40)));
  }
  return entry;
}

template <class Read>
auto read_list(const JsonView& view, Read read) {
  std::vector<decltype(read(view))> result;
  for (const JsonView& item : view.as_list()) {
    result.push_back(read(item));
  }
  return result;
}

Dtype read_dtype(const JsonView& view) {
  try {
    return dtype_from_name(view.as_text());
  } catch (const DtypeError&) {
    view.fail(fmt::format("expected a dtype, got {}", in_quotes(view.as_text(), 40)));
  }
}

Dimension read_dimension(const JsonView& view) {
  if (std::holds_alternative<std::int64_t>(view.json().value())) {
    return view.as_integer(0, std::numeric_limits<std::int64_t>::max());
  }
  try {
    return Dimension::parse(view.as_text());
  } catch (const Error& error) {
    view.fail(error.what());
  }
}

void check_rank(const JsonView& view, std::size_t rank) {
  if (rank > static_cast<std::size_t>(kMaxRank)) {
    view.fail(fmt::format("expected at most {} dimensions, got {}", kMaxRank, rank));
  }
}

DeviceSlot read_device(const JsonView& view) {
  view.allow_only({"name", "kind"});
  return {read_name(view.at("name")), read_choice(view.at("kind"), kDeviceKindNames)};
}

ValueSpec read_spec(const JsonView& view) {
  view.allow_only({"name", "dtype", "shape", "device"});
  ValueSpec spec{read_name(view.at("name")), read_dtype(view.at("dtype")),
                 read_list(view.at("shape"), read_dimension), read_name(view.at("device"))};
  check_rank(view.at("shape"), spec.shape.size());
  return spec;
}

Guard read_guard(const JsonView& view) {
  view.allow_only({"condition", "source", "message"});
  return {view.at("condition").as_text(), view.at("source").as_text(),
          view.at("message").as_text()};
}

StateLink read_state(const JsonView& view) {
  view.allow_only({"input", "output"});
  return {read_name(view.at("input")), read_name(view.at("output"))};
}

// `true`, or the reason why not.
std::string read_row_independent(const JsonView& view) {
  if (std::holds_alternative<bool>(view.json().value())) {
    if (!view.as_bool()) {
      view.fail("expected true or the reason why not, got false");
    }
    return "";
  }
  return read_name(view);
}

Body read_body(const JsonView& view) {
  view.allow_only({"modes", "code", "guards", "row_independent", "mutable_buffers", "rng"});
  Body body;
  body.modes = read_list(view.at("modes"),
                         [](const JsonView& mode) { return read_enum<Mode>(mode, kModeNames); });
  body.code = read_entry(view.at("code"), "code/");
  body.guards = read_list(view.at("guards"), read_guard);
  body.row_dependence = read_row_independent(view.at("row_independent"));
  body.mutable_buffers = read_list(view.at("mutable_buffers"), read_name);
  if (const auto rng = view.find("rng")) {
    body.rng = read_choice(*rng, kGeneratorNames);
  }
  return body;
}

Method read_method(const JsonView& view) {
  view.allow_only({"name", "inputs", "outputs", "state", "bodies"});
  return {read_name(view.at("name")), read_list(view.at("inputs"), read_spec),
          read_list(view.at("outputs"), read_spec), read_list(view.at("state"), read_state),
          read_list(view.at("bodies"), read_body)};
}

std::uint32_t read_crc32(const JsonView& view) {
  const std::string& text = view.as_text();
  const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (text.size() != 8 || !std::ranges::all_of(text, is_hex)) {
    view.fail(fmt::format("expected 8 hexadecimal digits, got {}", in_quotes(text, 40)));
  }
  return static_cast<std::uint32_t>(std::stoul(text, nullptr, 16));
}

StoredTensor read_stored(const JsonView& view, std::string_view folder) {
  StoredTensor tensor{read_dtype(view.at("dtype")),
                      read_list(view.at("shape"),
                                [](const JsonView& size) {
                                  return size.as_integer(0,
                                                         std::numeric_limits<std::int64_t>::max());
                                }),
                      read_entry(view.at("entry"), folder), read_crc32(view.at("crc32"))};
  check_rank(view.at("shape"), tensor.shape.size());
  if (!tensor_size_bytes(tensor.dtype, tensor.shape)) {
    view.at("shape").fail("a tensor must be smaller than 2^60 bytes");
  }
  return tensor;
}

TensorRecord read_tensor(const JsonView& view) {
  view.allow_only(
      {"name", "dtype", "shape", "entry", "crc32", "role", "requires_grad", "device", "aliases"});
  return {read_name(view.at("name")),
          read_stored(view, "weights/"),
          read_enum<TensorRole>(view.at("role"), kRoleNames),
          view.at("requires_grad").as_bool(),
          read_name(view.at("device")),
          read_list(view.at("aliases"), read_name)};
}

StoredTensor read_golden_tensor(const JsonView& view) {
  view.allow_only({"dtype", "shape", "entry", "crc32"});
  return read_stored(view, "golden/");
}

GoldenCase read_golden(const JsonView& view) {
  view.allow_only({"method", "mode", "seed", "inputs", "outputs"});
  return {read_name(view.at("method")), read_enum<Mode>(view.at("mode"), kModeNames),
          view.at("seed").as_integer(std::numeric_limits<std::int64_t>::min(),
                                     std::numeric_limits<std::int64_t>::max()),
          read_list(view.at("inputs"), read_golden_tensor),
          read_list(view.at("outputs"), read_golden_tensor)};
}

Manifest read_manifest(const JsonView& view) {
  view.allow_only({"format_version", "runtime", "producer", "numerics", "ops", "devices", "methods",
                   "tensors", "golden"});
  Manifest manifest;
  manifest.format_version = static_cast<int>(view.at("format_version").as_integer(0, kMaxVersion));
  manifest.runtime = read_name(view.at("runtime"));
  manifest.producer = read_name(view.at("producer"));
  manifest.numerics = read_enum<Numerics>(view.at("numerics"), kNumericsNames);
  for (const auto& [name, version] : view.at("ops").as_object()) {
    manifest.ops.push_back(
        {std::string(name), static_cast<int>(version.as_integer(1, kMaxVersion))});
  }
  manifest.devices = read_list(view.at("devices"), read_device);
  manifest.methods = read_list(view.at("methods"), read_method);
  manifest.tensors = read_list(view.at("tensors"), read_tensor);
  manifest.golden = read_list(view.at("golden"), read_golden);
  return manifest;
}

// Brings the JSON to the current format, or says why that cannot be.
void upgrade_format(Json& json, const Upgraders& upgraders) {
  const JsonView view(json, kWhat);
  int version = static_cast<int>(view.at("format_version").as_integer(0, kMaxVersion));
  if (version > upgraders.format_version) {
    fail<FormatError>(
        "manifest: the format has version {}; runtime {} reads up to {}; the archive needs "
        "runtime {} or newer",
        version, runtime_version(), upgraders.format_version, read_name(view.at("runtime")));
  }
  for (; version < upgraders.format_version; ++version) {
    const FormatUpgrader* step = upgraders.find_format(version);
    check<FormatError>(step != nullptr,
                       "manifest: the format has version {}, and nothing upgrades it to {}",
                       version, upgraders.format_version);
    step->apply(json);
    Json* field = json.find("format_version");
    invariant(field != nullptr, "an upgrader removed the format version");
    *field = Json(version + 1);
  }
}

}  // namespace

std::string_view runtime_version() {
  return RONDO_VERSION;
}

Manifest parse_manifest(std::string_view text, const Upgraders& upgraders) {
  Json json =
      parse_json(text, kWhat, {.max_bytes = kMaxManifestBytes, .max_values = kMaxManifestValues});
  upgrade_format(json, upgraders);
  Manifest manifest = read_manifest(JsonView(json, kWhat));
  check_manifest(manifest);
  return manifest;
}

void check_op_versions(const Manifest& manifest, std::span<const OpVersion> known,
                       const Upgraders& upgraders) {
  for (const OpVersion& op : manifest.ops) {
    const auto found = std::ranges::find(known, op.name, &OpVersion::name);
    if (found == known.end()) {
      fail<FormatError>(
          "manifest: op {} (version {}) is unknown to runtime {}; the archive needs runtime {} or "
          "newer, or the library that registers this op",
          in_quotes(op.name), op.version, runtime_version(), manifest.runtime);
    }
    if (op.version > found->version) {
      fail<FormatError>(
          "manifest: op {} has version {}; runtime {} has version {}; the archive needs runtime {} "
          "or newer",
          in_quotes(op.name), op.version, runtime_version(), found->version, manifest.runtime);
    }
    if (!upgraders.reaches(op.name, op.version, found->version)) {
      fail<FormatError>("manifest: op {} has version {}, and nothing upgrades it to version {}",
                        in_quotes(op.name), op.version, found->version);
    }
  }
}

}  // namespace rondo::serialize
