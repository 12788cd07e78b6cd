// Reads an archive: a zip file of stored entries, checked strictly before any entry is given out.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "serialize/bytes.h"
#include "serialize/zip_format.h"

namespace rondo::serialize {

/// The directory of an archive. Opening it reads the end record, the directory and each local
/// header, never the data. Refused with a FormatError that names the entry: compressed or encrypted
/// entries, bad or repeated names, entries that overlap, leave gaps or pass the end, local headers
/// that differ from the directory, links, comments, anything before, between or after the entries.
/// Immutable; any number of threads may use it.
class ZipReader {
 public:
  explicit ZipReader(std::shared_ptr<const Source> source);

  const std::string& name() const { return source_->name(); }
  /// In the order of the directory.
  std::span<const ZipEntry> entries() const { return entries_; }
  /// The entry of that name, or nullptr.
  const ZipEntry* find(std::string_view name) const;
  /// The entry of that name. Errors: FormatError if there is none.
  const ZipEntry& entry(std::string_view name) const;

  /// The data, in place where the source lies in memory; its checksum is not looked at.
  Bytes read(const ZipEntry& entry) const { return source_->read(entry.offset, entry.size); }
  /// The same. Errors: FormatError if the checksum is wrong.
  Bytes read_verified(const ZipEntry& entry) const;

 private:
  std::shared_ptr<const Source> source_;
  std::vector<ZipEntry> entries_;
  std::vector<std::uint32_t> by_name_;  // indices into entries_
};

}  // namespace rondo::serialize
