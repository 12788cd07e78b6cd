// Reads and writes safetensors files: named tensors and text, without code.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/tensor/dtype.h"
#include "serialize/bytes.h"
#include "serialize/sink.h"

namespace rondo::serialize {

/// The header may take this many bytes; the format says so.
inline constexpr std::uint64_t kMaxSafetensorsHeaderBytes = 100'000'000;

/// A contiguous, little-endian tensor in memory that something else owns.
struct TensorView {
  std::string name;
  Dtype dtype = Dtype::float32;
  std::vector<std::int64_t> shape;
  std::span<const std::byte> data;
};

/// Free text of a file, by key.
using Metadata = std::vector<std::pair<std::string, std::string>>;

struct SafetensorsFile {
  std::vector<TensorView> tensors;  // in the order of their data
  Metadata metadata;
  Bytes bytes;  // keeps the data of `tensors` alive
};

/// Reads a whole file, in place where the source lies in memory. Data of foreign files may be less
/// aligned than its dtype.
/// Errors: FormatError that names the tensor: offsets that overlap, leave gaps or do not fit dtype
/// and shape, repeated names, unknown fields, a wrong checksum; UnsupportedError for dtypes that
/// Rondo does not have.
SafetensorsFile read_safetensors(const Source& source);

/// Writes a file and commits the sink. Data begins at a multiple of 64 bytes; tensors are ordered
/// by the size of their elements, then by name, so that each is aligned to its elements. The
/// metadata `rondo.crc32` is a checksum over all of it, which readers verify and take out. Errors:
/// ArgumentError for repeated or reserved names, sizes that do not fit dtype and shape, text that
/// is not UTF-8, a header past the limit; IoError.
void write_safetensors(Sink& sink, std::span<const TensorView> tensors, const Metadata& metadata);

}  // namespace rondo::serialize
