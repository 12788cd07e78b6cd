// Builds zip files field by field, also wrong ones, for tests of the reader.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rondo::serialize {

/// An entry with the fields of a plain 32-bit zip; tests change what they want to be wrong.
struct RawEntry {
  RawEntry(std::string entry_name, std::string contents);

  std::string name;
  std::string local_name;  // as `name` unless changed
  std::string data;
  std::uint16_t made_by = 20;
  std::uint16_t version = 20;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;
  std::uint32_t crc32;
  std::uint32_t packed;
  std::uint32_t size;
  std::string local_extra;
  std::string central_extra;
  std::string comment;
  std::uint16_t disk = 0;
  std::uint32_t attributes = 0;
  std::int64_t header = -1;  // where the directory says that the local header is; -1: where it is
  std::string before;        // bytes before the local header
};

struct RawZip {
  std::vector<RawEntry> entries;
  std::string before_directory;
  std::string after_end;
  std::uint16_t disk = 0;
  std::int64_t count = -1;             // -1: as it is
  std::int64_t directory_offset = -1;  // -1: as it is

  std::string bytes() const;
};

/// The text of a number in little-endian order.
std::string u16(std::uint64_t value);
std::string u32(std::uint64_t value);
std::string u64(std::uint64_t value);

}  // namespace rondo::serialize
