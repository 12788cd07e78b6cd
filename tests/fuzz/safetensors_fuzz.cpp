// libFuzzer on safetensors files: what is read is written and read again with the same contents.
#include <algorithm>
#include <cstring>

#include "core/base/error.h"
#include "serialize/safetensors.h"
#include "tests/fuzz/fuzzer.h"

namespace rondo::fuzz {
namespace {

using serialize::SafetensorsFile;
using serialize::TensorView;

SafetensorsFile read(std::span<const std::byte> bytes) {
  return serialize::read_safetensors(*serialize::open_bytes({nullptr, bytes}, "fuzz"));
}

ByteVector written(const std::vector<TensorView>& tensors, const serialize::Metadata& metadata) {
  serialize::MemorySink sink;
  serialize::write_safetensors(sink, tensors, metadata);
  return sink.take();
}

bool holds(const SafetensorsFile& file, const TensorView& tensor) {
  return std::ranges::any_of(file.tensors, [&](const TensorView& other) {
    return other.name == tensor.name && other.dtype == tensor.dtype &&
           other.shape == tensor.shape && std::ranges::equal(other.data, tensor.data);
  });
}

}  // namespace

std::vector<ByteVector> seeds() {
  const ByteVector data(48, std::byte{'d'});
  const std::span<const std::byte> all(data);
  const std::vector<TensorView> views = {{"a", Dtype::float32, {2, 3}, all.first(24)},
                                         {"b", Dtype::boolean, {}, all.first(1)},
                                         {"c", Dtype::int64, {0, 5}, {}},
                                         {"d", Dtype::bfloat16, {4, 1, 2}, all.first(16)}};
  return {without_checksum(written(views, {{"format", "rondo"}, {"note", std::string(400, 'n')}})),
          written({}, {})};
}

void run_one(std::span<const std::byte> bytes) {
  is_read([&] {
    const SafetensorsFile file = read(bytes);
    const ByteVector copy = written(file.tensors, file.metadata);
    const SafetensorsFile again = read(copy);
    invariant(again.tensors.size() == file.tensors.size() && again.metadata == file.metadata,
              "a safetensors file changed on its way");
    for (const TensorView& tensor : file.tensors) {
      invariant(holds(again, tensor), "a tensor changed on its way");
    }
  });
}

/// Of the header, whose length is made right, or of all bytes.
void mutate_one(ByteVector& bytes, const MutateBytes& mutate, std::mt19937_64& random) {
  std::uint64_t length = 0;
  if (bytes.size() >= 8) {
    std::memcpy(&length, bytes.data(), 8);
  }
  if (random() % 4 == 0 || bytes.size() < 8 || length > bytes.size() - 8) {
    mutate(bytes);
    return;
  }
  const auto begin = bytes.begin() + 8;
  const auto end = begin + static_cast<std::ptrdiff_t>(length);
  ByteVector header(begin, end);
  mutate(header);
  ByteVector result(8);
  length = header.size();
  std::memcpy(result.data(), &length, 8);
  result.insert(result.end(), header.begin(), header.end());
  result.insert(result.end(), end, bytes.end());
  bytes = std::move(result);
}

}  // namespace rondo::fuzz
