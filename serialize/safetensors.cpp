#include "serialize/safetensors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "core/base/error.h"
#include "serialize/checksum.h"
#include "serialize/json.h"
#include "serialize/tensor_size.h"
#include "serialize/text.h"

namespace rondo::serialize {
namespace {

constexpr std::string_view kMetadataKey = "__metadata__";
constexpr std::string_view kChecksumKey = "rondo.crc32";
constexpr std::uint64_t kLengthBytes = 8;
constexpr std::size_t kAlignment = 64;

// In the order of Dtype.
constexpr std::array<std::string_view, kDtypeCount> kDtypeNames{
    "BOOL", "U8", "I8", "I16", "I32", "I64", "F16", "BF16", "F32", "F64"};

Dtype read_dtype(const JsonView& view) {
  const auto found = std::ranges::find(kDtypeNames, view.as_text());
  if (found == kDtypeNames.end()) {
    fail<UnsupportedError>("{}: the dtype {} is not supported; expected one of {}", view.where(),
                           in_quotes(view.as_text(), 20), fmt::join(kDtypeNames, ", "));
  }
  return static_cast<Dtype>(found - kDtypeNames.begin());
}

std::vector<std::int64_t> read_sizes(const JsonView& view) {
  std::vector<std::int64_t> sizes;
  for (const JsonView& size : view.as_list()) {
    sizes.push_back(size.as_integer(0, std::numeric_limits<std::int64_t>::max()));
  }
  return sizes;
}

// A tensor whose data is not placed yet.
struct Entry {
  TensorView tensor;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

Entry read_entry(std::string_view name, const JsonView& view) {
  view.allow_only({"dtype", "shape", "data_offsets"});
  Entry entry;
  entry.tensor = {
      std::string(name), read_dtype(view.at("dtype")), read_sizes(view.at("shape")), {}};
  const JsonView offsets_view = view.at("data_offsets");
  const std::vector<std::int64_t> offsets = read_sizes(offsets_view);
  if (offsets.size() != 2 || offsets[0] > offsets[1]) {
    offsets_view.fail("expected a begin and an end");
  }
  entry.begin = static_cast<std::uint64_t>(offsets[0]);
  entry.end = static_cast<std::uint64_t>(offsets[1]);
  const auto size = tensor_size_bytes(entry.tensor.dtype, entry.tensor.shape);
  if (size != offsets[1] - offsets[0]) {
    offsets_view.fail(fmt::format("{} bytes; dtype and shape need {}", offsets[1] - offsets[0],
                                  size ? std::to_string(*size) : "an impossible number"));
  }
  return entry;
}

Metadata read_metadata(const JsonView& view) {
  Metadata metadata;
  for (const auto& [key, value] : view.as_object()) {
    metadata.emplace_back(key, value.as_text());
  }
  return metadata;
}

// Gives each entry its data: they must fill the buffer from its first byte to its last.
void place_data(std::vector<Entry>& entries, std::span<const std::byte> data,
                std::string_view what) {
  std::ranges::sort(entries, {},
                    [](const Entry& entry) { return std::pair(entry.begin, entry.end); });
  std::uint64_t position = 0;
  for (Entry& entry : entries) {
    if (entry.begin != position || entry.end > data.size()) {
      const char* fault = entry.begin < position   ? "it overlaps the tensor before it"
                          : entry.begin > position ? "unused bytes stand before it"
                                                   : "it passes the end of the file";
      fail<FormatError>("{}: tensor {}: {}: bytes {} to {} of {}", what,
                        in_quotes(entry.tensor.name), fault, entry.begin, entry.end, data.size());
    }
    entry.tensor.data = data.subspan(entry.begin, entry.end - entry.begin);
    position = entry.end;
  }
  check<FormatError>(position == data.size(), "{}: {} bytes follow the last tensor", what,
                     data.size() - position);
}

Json read_header(const Source& source, std::uint64_t& data_offset, std::string_view what) {
  check<FormatError>(source.size() >= kLengthBytes, "{}: too short: {} bytes; expected at least {}",
                     what, source.size(), kLengthBytes);
  std::uint64_t length = 0;
  source.read_into(0, std::as_writable_bytes(std::span(&length, 1)));
  check<FormatError>(length <= kMaxSafetensorsHeaderBytes,
                     "{}: the header is too long: {} bytes; the limit is {}", what, length,
                     kMaxSafetensorsHeaderBytes);
  check<FormatError>(length <= source.size() - kLengthBytes,
                     "{}: the header passes the end of the file: {} bytes of {}", what, length,
                     source.size());
  data_offset = kLengthBytes + length;
  const Bytes header = source.read(kLengthBytes, length);
  check<FormatError>(header.text().starts_with('{'), "{}: the header does not begin with '{{'",
                     what);
  return parse_json(header.text(), what, {.max_bytes = kMaxSafetensorsHeaderBytes});
}

// The order in which tensors are written.
std::vector<const TensorView*> in_file_order(std::span<const TensorView> tensors) {
  std::vector<const TensorView*> order;
  for (const TensorView& tensor : tensors) {
    const auto size = tensor_size_bytes(tensor.dtype, tensor.shape);
    check<ArgumentError>(size && static_cast<std::uint64_t>(*size) == tensor.data.size(),
                         "safetensors: tensor {}: {} bytes are given; dtype and shape need {}",
                         in_quotes(tensor.name), tensor.data.size(),
                         size ? std::to_string(*size) : "an impossible number");
    check<ArgumentError>(tensor.name != kMetadataKey,
                         "safetensors: tensor {}: the name is reserved", in_quotes(tensor.name));
    order.push_back(&tensor);
  }
  std::ranges::sort(order, {}, [](const TensorView* tensor) {
    return std::pair<int, std::string_view>(-dtype_bits(tensor->dtype), tensor->name);
  });
  return order;
}

void check_unique(std::vector<std::string_view> names, std::string_view kind) {
  std::ranges::sort(names);
  const auto twin = std::ranges::adjacent_find(names);
  if (twin != names.end()) {
    fail<ArgumentError>("safetensors: the {} {} appears twice", kind, in_quotes(*twin));
  }
}

std::string header_text(const std::vector<const TensorView*>& tensors, const Metadata& metadata) {
  Json::Object header;
  std::vector<std::string_view> names;
  if (!metadata.empty()) {
    Json::Object fields;
    for (const auto& [key, value] : metadata) {
      fields.emplace_back(key, value);
      names.emplace_back(key);
    }
    check_unique(std::exchange(names, {}), "metadata key");
    header.emplace_back(kMetadataKey, std::move(fields));
  }
  std::int64_t position = 0;
  for (const TensorView* tensor : tensors) {
    const auto end = position + static_cast<std::int64_t>(tensor->data.size());
    Json::List shape(tensor->shape.begin(), tensor->shape.end());
    header.emplace_back(
        tensor->name, Json::Object{{"dtype", kDtypeNames[static_cast<std::size_t>(tensor->dtype)]},
                                   {"shape", std::move(shape)},
                                   {"data_offsets", Json::List{position, end}}});
    names.emplace_back(tensor->name);
    position = end;
  }
  check_unique(std::move(names), "tensor");
  std::string text = print_json(header, false);
  text.append((kAlignment - (kLengthBytes + text.size()) % kAlignment) % kAlignment, ' ');
  check<ArgumentError>(text.size() <= kMaxSafetensorsHeaderBytes,
                       "safetensors: the header is too long: {} bytes; the limit is {}",
                       text.size(), kMaxSafetensorsHeaderBytes);
  return text;
}

/// A checksum over all that a file says: names, dtypes, shapes, other metadata and data.
std::string checksum_of(const std::vector<const TensorView*>& tensors, const Metadata& metadata) {
  const std::string header = header_text(tensors, metadata);
  std::uint32_t sum = crc32(std::as_bytes(std::span(header)));
  for (const TensorView* tensor : tensors) {
    sum = crc32(tensor->data, sum);
  }
  return fmt::format("{:08x}", sum);
}

/// Takes the checksum out of the metadata and compares it. Files of other programs have none.
void verify_checksum(SafetensorsFile& file, std::string_view what) {
  const auto found = std::ranges::find(file.metadata, kChecksumKey, &Metadata::value_type::first);
  if (found == file.metadata.end()) {
    return;
  }
  const std::string expected = found->second;
  file.metadata.erase(found);
  const std::string sum = checksum_of(in_file_order(file.tensors), file.metadata);
  check<FormatError>(sum == expected,
                     "{}: the checksum is {}; expected {}: the file is damaged, or another program "
                     "has changed it and kept the metadata {}",
                     what, sum, in_quotes(expected, 20), kChecksumKey);
}

}  // namespace

SafetensorsFile read_safetensors(const Source& source) {
  const std::string what = fmt::format("safetensors '{}'", source.name());
  std::uint64_t data_offset = 0;
  const Json header = read_header(source, data_offset, what);
  SafetensorsFile file;
  std::vector<Entry> entries;
  for (const auto& [name, view] : JsonView(header, what).as_object()) {
    if (name == kMetadataKey) {
      file.metadata = read_metadata(view);
    } else {
      entries.push_back(read_entry(name, view));
    }
  }
  file.bytes = source.read(data_offset, source.size() - data_offset);
  place_data(entries, file.bytes.view(), what);
  file.tensors.reserve(entries.size());
  for (Entry& entry : entries) {
    file.tensors.push_back(std::move(entry.tensor));
  }
  verify_checksum(file, what);
  return file;
}

void write_safetensors(Sink& sink, std::span<const TensorView> tensors, const Metadata& metadata) {
  const std::vector<const TensorView*> order = in_file_order(tensors);
  Metadata checked = metadata;
  checked.emplace_back(kChecksumKey, checksum_of(order, metadata));
  const std::string header = header_text(order, checked);
  const std::uint64_t length = header.size();
  sink.write(std::as_bytes(std::span(&length, 1)));
  sink.write(std::as_bytes(std::span(header)));
  for (const TensorView* tensor : order) {
    sink.write(tensor->data);
  }
  sink.commit();
}

}  // namespace rondo::serialize
