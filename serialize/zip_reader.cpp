#include "serialize/zip_reader.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "serialize/checksum.h"
#include "serialize/text.h"
#include "serialize/zip_directory.h"

namespace rondo::serialize {

ZipReader::ZipReader(std::shared_ptr<const Source> source) : source_(std::move(source)) {
  entries_ = zip::read_directory(*source_, zip::find_directory(*source_));
  by_name_.resize(entries_.size());
  std::iota(by_name_.begin(), by_name_.end(), 0U);
  const auto name_of = [this](std::uint32_t i) -> std::string_view { return entries_[i].name; };
  std::ranges::sort(by_name_, {}, name_of);
  const auto twin = std::ranges::adjacent_find(by_name_, {}, name_of);
  if (twin != by_name_.end()) {
    fail<FormatError>("zip '{}': entry {}: the name appears twice", name(),
                      in_quotes(name_of(*twin)));
  }
}

const ZipEntry* ZipReader::find(std::string_view name) const {
  const auto name_of = [this](std::uint32_t i) -> std::string_view { return entries_[i].name; };
  const auto found = std::ranges::lower_bound(by_name_, name, {}, name_of);
  return found != by_name_.end() && name_of(*found) == name ? &entries_[*found] : nullptr;
}

const ZipEntry& ZipReader::entry(std::string_view name) const {
  const ZipEntry* found = find(name);
  if (found == nullptr) {
    fail<FormatError>("zip '{}': entry {} is missing", this->name(), in_quotes(name));
  }
  return *found;
}

Bytes ZipReader::read_verified(const ZipEntry& entry) const {
  Bytes bytes = read(entry);
  const std::uint32_t found = serialize::crc32(bytes.view());
  if (found != entry.crc32) {
    fail<FormatError>(
        "zip '{}': entry {}: the checksum is wrong: the data has {:08x}, the directory says "
        "{:08x}; the file is damaged",
        name(), in_quotes(entry.name), found, entry.crc32);
  }
  return bytes;
}

}  // namespace rondo::serialize
