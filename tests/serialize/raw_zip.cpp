#include "tests/serialize/raw_zip.h"

#include <span>
#include <utility>

#include "serialize/checksum.h"

namespace rondo::serialize {
namespace {

std::string little_endian(std::uint64_t value, int size) {
  std::string text;
  for (int i = 0; i < size; ++i) {
    text += static_cast<char>(value >> (8 * i) & 0xFF);
  }
  return text;
}

std::string common(const RawEntry& entry, const std::string& name, const std::string& extra) {
  return u16(entry.version) + u16(entry.flags) + u16(entry.method) + u16(0) + u16(33) +
         u32(entry.crc32) + u32(entry.packed) + u32(entry.size) + u16(name.size()) +
         u16(extra.size());
}

}  // namespace

std::string u16(std::uint64_t value) {
  return little_endian(value, 2);
}
std::string u32(std::uint64_t value) {
  return little_endian(value, 4);
}
std::string u64(std::uint64_t value) {
  return little_endian(value, 8);
}

RawEntry::RawEntry(std::string entry_name, std::string contents)
    : name(std::move(entry_name)),
      local_name(name),
      data(std::move(contents)),
      crc32(serialize::crc32(std::as_bytes(std::span(data)))),
      packed(static_cast<std::uint32_t>(data.size())),
      size(packed) {}

std::string RawZip::bytes() const {
  std::string file;
  std::string directory;
  for (const RawEntry& entry : entries) {
    file += entry.before;
    const std::uint64_t header =
        entry.header < 0 ? file.size() : static_cast<std::uint64_t>(entry.header);
    file += "PK\3\4" + common(entry, entry.local_name, entry.local_extra) + entry.local_name +
            entry.local_extra + entry.data;
    directory += "PK\1\2" + u16(entry.made_by) + common(entry, entry.name, entry.central_extra) +
                 u16(entry.comment.size()) + u16(entry.disk) + u16(0) + u32(entry.attributes) +
                 u32(header) + entry.name + entry.central_extra + entry.comment;
  }
  file += before_directory;
  const std::uint64_t offset =
      directory_offset < 0 ? file.size() : static_cast<std::uint64_t>(directory_offset);
  const std::uint64_t records = count < 0 ? entries.size() : static_cast<std::uint64_t>(count);
  file += directory;
  return file + "PK\5\6" + u16(disk) + u16(0) + u16(records) + u16(records) +
         u32(directory.size()) + u32(offset) + u16(0) + after_end;
}

}  // namespace rondo::serialize
