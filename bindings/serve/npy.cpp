#include "bindings/serve/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <vector>

#include "core/base/error.h"
#include "core/tensor/copy.h"
#include "serialize/bytes.h"
#include "serialize/sink.h"

namespace rondo::serve {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
constexpr std::array<std::string_view, kDtypeCount> kDescriptions{
    "|b1", "|u1", "|i1", "<i2", "<i4", "<i8", "<f2", "|V2", "<f4", "<f8"};

/// What stands behind a key of the header, up to the end of its value.
std::string_view field(std::string_view header, std::string_view key, std::string_view name) {
  const std::size_t at = header.find(key);
  check<FormatError>(at != std::string_view::npos, "{}: the header has no {}", name, key);
  std::string_view rest = header.substr(at + key.size());
  const std::size_t start = rest.find_first_not_of(": ");
  check<FormatError>(start != std::string_view::npos, "{}: {} has no value", name, key);
  rest = rest.substr(start);
  if (rest.front() == '(') {
    return rest.substr(0, rest.find(')'));
  }
  return rest.substr(0, rest.find_first_of(",}"));
}

Dtype read_description(std::string_view text, std::string_view name) {
  std::string code(text);
  std::erase(code, '\'');
  if (code == "<V2") {
    code = "|V2";
  }
  const auto found = std::find(kDescriptions.begin(), kDescriptions.end(), code);
  check<FormatError>(found != kDescriptions.end(), "{}: descr is {}; expected one of {}", name,
                     text, fmt::join(kDescriptions, " "));
  return static_cast<Dtype>(found - kDescriptions.begin());
}

Shape read_shape(std::string_view text, std::string_view name) {
  Shape shape;
  for (std::size_t at = 1; at < text.size();) {
    if (text[at] == ' ' || text[at] == ',') {
      ++at;
      continue;
    }
    std::int64_t size = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), size);
    check<FormatError>(error == std::errc() && size >= 0 && shape.rank() < kMaxRank,
                       "{}: shape is {}); expected at most {} sizes", name, text, kMaxRank);
    shape.push_back(size);
    at = static_cast<std::size_t>(end - text.data());
  }
  checked_numel(shape, name);
  return shape;
}

Tensor from_columns(const Tensor& stored, const Shape& shape) {
  Shape strides = shape;
  std::int64_t stride = 1;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  const Tensor columns = Tensor::view_of(stored.storage(), shape, strides, 0, stored.dtype());
  const Tensor rows = Tensor::empty(shape, stored.dtype());
  copy_elements(rows, columns);
  return rows;
}

}  // namespace

Tensor parse_npy(std::string_view content, std::string_view name) {
  check<FormatError>(content.size() >= 12 && content.starts_with(kMagic),
                     "{}: this is no .npy file", name);
  const int version = content[6];
  check<FormatError>(version >= 1 && version <= 3, "{}: version {} of .npy; expected 1, 2 or 3",
                     name, version);
  std::uint32_t length = 0;
  std::memcpy(&length, content.data() + 8, version == 1 ? 2 : 4);
  const std::size_t start = version == 1 ? 10 : 12;
  check<FormatError>(length <= content.size() - start, "{}: the file ends inside its header", name);
  const std::string_view header = content.substr(start, length);
  const std::string_view data = content.substr(start + length);
  const Dtype dtype = read_description(field(header, "'descr'", name), name);
  const Shape shape = read_shape(field(header, "'shape'", name), name);
  const auto needed = static_cast<std::size_t>(size_bytes(dtype, shape.numel()));
  check<FormatError>(data.size() == needed, "{}: the data have {} bytes; shape {} of {} needs {}",
                     name, data.size(), shape, dtype_name(dtype), needed);
  const Tensor tensor = Tensor::empty(shape, dtype);
  if (needed != 0) {
    std::memcpy(tensor.data(), data.data(), needed);
  }
  const bool columns = field(header, "'fortran_order'", name).starts_with("True");
  return columns && shape.rank() > 1 ? from_columns(tensor, shape) : tensor;
}

Tensor read_npy(const std::string& path) {
  const auto source = serialize::open_file(path, serialize::FileAccess::copy);
  return parse_npy(source->read(0, source->size()).text(), path);
}

std::string print_npy(const Tensor& tensor) {
  const char* comma = tensor.rank() == 1 ? "," : "";
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                   kDescriptions.at(static_cast<std::size_t>(tensor.dtype())),
                                   fmt::join(tensor.shape().span(), ", "), comma);
  header.append(63 - (10 + header.size()) % 64, ' ');  // data start at a multiple of 64
  header += '\n';
  std::string content(kMagic);
  content += '\1';
  content += '\0';
  content += static_cast<char>(header.size() & 0xFF);
  content += static_cast<char>(header.size() >> 8);
  content += header;
  content.append(reinterpret_cast<const char*>(tensor.data()),
                 static_cast<std::size_t>(size_bytes(tensor.dtype(), tensor.numel())));
  return content;
}

void write_npy(const std::string& path, const Tensor& tensor) {
  const std::string content = print_npy(tensor);
  const auto sink = serialize::replace_file(path);
  sink->write(std::as_bytes(std::span(content)));
  sink->commit();
}

}  // namespace rondo::serve
