// Writes an archive: a zip file of stored entries, each aligned to 64 bytes, zip64 throughout.
#pragma once

#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "serialize/sink.h"
#include "serialize/zip_format.h"

namespace rondo::serialize {

/// Equal calls give equal bytes: no time, user or machine is recorded.
class ZipWriter {
 public:
  /// Writes to `sink`, which must outlive it.
  explicit ZipWriter(Sink& sink) : sink_(sink) {}

  /// Appends an entry. Errors: ArgumentError for a bad or repeated name or too many entries;
  /// IoError.
  ZipEntry add(std::string_view name, std::span<const std::byte> data);

  /// Writes the directory and commits the sink; nothing can be added afterwards.
  void finish();

  std::span<const ZipEntry> entries() const { return entries_; }

 private:
  void write(std::span<const std::byte> bytes);

  Sink& sink_;
  std::vector<ZipEntry> entries_;
  std::vector<std::uint64_t> headers_;  // where the local header of each entry begins
  std::set<std::string, std::less<>> names_;
  std::uint64_t position_ = 0;
  bool finished_ = false;
};

}  // namespace rondo::serialize
