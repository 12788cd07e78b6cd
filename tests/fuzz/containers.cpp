#include "tests/fuzz/containers.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "core/base/error.h"
#include "serialize/archive_entries.h"
#include "serialize/checksum.h"
#include "serialize/safetensors.h"
#include "serialize/zip_reader.h"
#include "serialize/zip_writer.h"
#include "tests/serialize/archive_bytes.h"
#include "tests/serialize/raw_zip.h"
#include "tests/serialize/sample_archive.h"

namespace rondo::serialize {
namespace {

ByteVector vector_of(std::string_view text) {
  const auto bytes = bytes_of(text);
  return {bytes.begin(), bytes.end()};
}

std::shared_ptr<const Source> source_over(std::span<const std::byte> bytes) {
  return open_bytes({nullptr, bytes}, "fuzz");
}

void exercise_signature(const Method& method) {
  std::vector<std::vector<std::int64_t>> shapes;
  Bindings bindings;
  for (const ValueSpec& spec : method.inputs) {
    for (const Dimension& dimension : spec.shape) {
      for (const std::string& symbol : dimension.symbols()) {
        bindings.set(symbol, 3);
      }
    }
  }
  std::vector<ActualValue> values;
  shapes.reserve(method.inputs.size());
  for (const ValueSpec& spec : method.inputs) {
    std::vector<std::int64_t>& shape = shapes.emplace_back();
    for (const Dimension& dimension : spec.shape) {
      shape.push_back(dimension.evaluate(bindings));
    }
    values.push_back({spec.dtype, shape});
  }
  check_inputs(method.name, method.inputs, values);
}

void read_archive(std::span<const std::byte> bytes) {
  const ZipReader zip(source_over(bytes));
  for (const ZipEntry& entry : zip.entries()) {
    zip.read_verified(entry);
  }
  const Manifest manifest = parse_manifest(zip.read_verified(zip.entry(kManifestEntry)).text());
  invariant(parse_manifest(print_manifest(manifest)) == manifest, "a manifest changed on its way");
  check_op_versions(manifest, manifest.ops);
  check_entries(zip, manifest);
  for (const Method& method : manifest.methods) {
    exercise_signature(method);
  }
}

void read_tensors(std::span<const std::byte> bytes) {
  const SafetensorsFile file = read_safetensors(*source_over(bytes));
  MemorySink sink;
  write_safetensors(sink, file.tensors, file.metadata);
  const SafetensorsFile again = read_safetensors(*source_over(sink.bytes()));
  invariant(again.tensors.size() == file.tensors.size() && again.metadata == file.metadata,
            "a safetensors file changed on its way");
}

template <class T>
T load(std::span<const std::byte> bytes, std::uint64_t offset) {
  return zip::get<T>(bytes, offset);
}

bool fits(std::span<const std::byte> bytes, std::uint64_t offset, std::uint64_t size) {
  return offset <= bytes.size() && size <= bytes.size() - offset;
}

// Makes the checksum right in one record of the directory and the local header that it names, as
// far as both lie inside the file. Gives the size of the record.
std::uint64_t repair_record(ByteVector& bytes, std::uint64_t record) {
  const std::uint64_t name_size = load<std::uint16_t>(bytes, record + 28);
  const std::uint64_t extra_size = load<std::uint16_t>(bytes, record + 30);
  const std::uint64_t total = zip::kCentralBytes + name_size + extra_size;
  std::uint64_t size = load<std::uint32_t>(bytes, record + 24);
  std::uint64_t header = load<std::uint32_t>(bytes, record + 42);
  const std::uint64_t wide = record + zip::kCentralBytes + name_size + 4;
  if (size == zip::kIn64 && extra_size >= 28 && fits(bytes, wide, 24)) {
    size = load<std::uint64_t>(bytes, wide + 8);
    header = load<std::uint64_t>(bytes, wide + 16);
  }
  if (!fits(bytes, header, zip::kLocalBytes)) {
    return total;
  }
  const std::uint64_t data = header + zip::kLocalBytes + load<std::uint16_t>(bytes, header + 26) +
                             load<std::uint16_t>(bytes, header + 28);
  if (fits(bytes, data, size)) {
    const std::uint32_t crc = crc32(std::span<const std::byte>(bytes).subspan(data, size));
    std::memcpy(bytes.data() + record + 16, &crc, sizeof(crc));
    std::memcpy(bytes.data() + header + 14, &crc, sizeof(crc));
  }
  return total;
}

// Changes the data of one entry and packs the archive anew. False if the bytes are no archive.
bool mutate_entry(ByteVector& bytes, const MutateBytes& mutate, std::mt19937_64& random) {
  try {
    const ZipReader zip(source_over(bytes));
    if (zip.entries().empty()) {
      return false;
    }
    // The manifest is where most of the meaning is.
    const ZipEntry* chosen = zip.find(kManifestEntry);
    if (chosen == nullptr || random() % 8 == 0) {
      chosen = &zip.entries()[random() % zip.entries().size()];
    }
    MemorySink sink;
    ZipWriter writer(sink);
    for (const ZipEntry& entry : zip.entries()) {
      const Bytes data = zip.read(entry);
      ByteVector copy(data.view().begin(), data.view().end());
      if (&entry == chosen) {
        mutate(copy);
      }
      writer.add(entry.name, copy);
    }
    writer.finish();
    bytes = sink.take();
    return true;
  } catch (const Error&) {
    return false;
  }
}

// Changes the header of a safetensors file and its length. False if there is none.
bool mutate_header(ByteVector& bytes, const MutateBytes& mutate) {
  if (bytes.size() < 8) {
    return false;
  }
  auto length = load<std::uint64_t>(bytes, 0);
  if (length > bytes.size() - 8) {
    return false;
  }
  const auto begin = bytes.begin() + 8;
  const auto end = begin + static_cast<std::ptrdiff_t>(length);
  ByteVector header(begin, end);
  mutate(header);
  ByteVector result;
  zip::put<std::uint64_t>(result, header.size());
  result.insert(result.end(), header.begin(), header.end());
  result.insert(result.end(), end, bytes.end());
  bytes = std::move(result);
  return true;
}

}  // namespace

void repair_checksums(ByteVector& bytes) {
  const std::string signature = "PK\1\2";
  const auto marks = bytes_of(signature);
  auto place = std::search(bytes.begin(), bytes.end(), marks.begin(), marks.end());
  auto record = static_cast<std::uint64_t>(place - bytes.begin());
  while (fits(bytes, record, zip::kCentralBytes) &&
         load<std::uint32_t>(bytes, record) == zip::kCentralSignature) {
    record += repair_record(bytes, record);
  }
}

std::vector<ByteVector> seed_containers() {
  RawZip plain;
  for (const auto& [name, data] : sample_contents()) {
    plain.entries.emplace_back(name, data);
  }
  const std::string data(24, 'd');
  MemorySink tensors;
  const std::vector<TensorView> views = {{"a", Dtype::float32, {2, 3}, bytes_of(data)},
                                         {"b", Dtype::boolean, {}, bytes_of("1")},
                                         {"c", Dtype::int64, {0, 5}, {}}};
  write_safetensors(tensors, views, {{"format", "rondo"}, {"note", std::string(400, 'n')}});
  Manifest small = sample_manifest();
  small.methods[0].bodies.resize(1);
  small.tensors.clear();
  small.golden.clear();
  return {archive_of(sample_contents()),
          archive_of({{"manifest.json", print_manifest(small)}, {"code/forward.rir", ""}}),
          vector_of(plain.bytes()), archive_of({}), fuzz::without_checksum(tensors.take())};
}

Outcome read_container(std::span<const std::byte> bytes) {
  if (fuzz::is_read([&] { read_archive(bytes); })) {
    return Outcome::archive;
  }
  return fuzz::is_read([&] { read_tensors(bytes); }) ? Outcome::safetensors : Outcome::refused;
}

void mutate_container(ByteVector& bytes, const MutateBytes& mutate, std::mt19937_64& random) {
  const bool structured = random() % 4 != 0;
  if (structured && (mutate_entry(bytes, mutate, random) || mutate_header(bytes, mutate))) {
    return;
  }
  mutate(bytes);
  if (random() % 4 != 0) {
    repair_checksums(bytes);
  }
}

}  // namespace rondo::serialize
