#include "serialize/zip_directory.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "core/base/error.h"
#include "serialize/text.h"

namespace rondo::serialize {

namespace zip {
namespace {

constexpr std::uint64_t kMaxDirectoryBytes = 64U << 20;
// Enough for the extra field of our own local headers, so that one read gets a whole header.
constexpr std::uint64_t kExtraGuess = 96;
constexpr std::uint64_t kTailBytes = kEnd64Bytes + kLocator64Bytes + kEndBytes;
constexpr std::uint16_t kFlagEncrypted = 1;
constexpr std::uint16_t kFlagDescriptor = 1U << 3;

// An entry as the directory describes it, before its local header is seen.
struct Record {
  ZipEntry entry;
  std::uint64_t header = 0;  // offset of the local header
  std::uint64_t end = 0;     // offset after the data
  // Bytes 6 to 16 of the central header, which must equal 4 to 14 of the local one: version,
  // flags, method, time and date.
  std::array<std::byte, 10> common{};
};

class Reader {
 public:
  Reader(const Source& source, const DirectoryPlace& place) : source_(source), place_(place) {}

  std::vector<ZipEntry> read() {
    read_central_headers();
    for (Record& record : records_) {
      read_local_header(record);
    }
    check_layout();
    std::vector<ZipEntry> entries;
    entries.reserve(records_.size());
    for (Record& record : records_) {
      entries.push_back(std::move(record.entry));
    }
    return entries;
  }

 private:
  [[noreturn]] void fail_entry(std::string_view name, std::string_view fault) const {
    fail<FormatError>("zip '{}': entry {}: {}", source_.name(), in_quotes(name), fault);
  }

  void require(bool condition, std::string_view name, std::string_view fault) const {
    if (!condition) [[unlikely]] {
      fail_entry(name, fault);
    }
  }

  void read_central_headers() {
    const Bytes directory = source_.read(place_.offset, place_.size);
    std::span<const std::byte> rest = directory.view();
    records_.reserve(place_.count);
    for (std::uint64_t i = 0; i < place_.count; ++i) {
      const std::size_t used = read_central_header(rest, i);
      rest = rest.subspan(used);
    }
    check<FormatError>(rest.empty(), "zip '{}': {} bytes follow the last of {} directory records",
                       source_.name(), rest.size(), place_.count);
  }

  // Appends a record and gives the number of bytes that it takes.
  std::size_t read_central_header(std::span<const std::byte> bytes, std::uint64_t index) {
    check<FormatError>(
        bytes.size() >= kCentralBytes && get<std::uint32_t>(bytes, 0) == kCentralSignature,
        "zip '{}': directory record {} of {} is missing or damaged", source_.name(), index,
        place_.count);
    const std::size_t name_size = get<std::uint16_t>(bytes, 28);
    const std::size_t extra_size = get<std::uint16_t>(bytes, 30);
    const std::size_t total = kCentralBytes + name_size + extra_size;
    check<FormatError>(total <= bytes.size(),
                       "zip '{}': directory record {} of {} passes the end of the directory",
                       source_.name(), index, place_.count);
    Record& record = records_.emplace_back();
    record.entry.name.assign(reinterpret_cast<const char*>(bytes.data()) + kCentralBytes,
                             name_size);
    std::ranges::copy(bytes.subspan(6, record.common.size()), record.common.begin());
    check_central_header(bytes, record.entry.name);
    record.entry.crc32 = get<std::uint32_t>(bytes, 16);
    resolve_sizes(record, bytes, bytes.subspan(kCentralBytes + name_size, extra_size));
    return total;
  }

  void check_central_header(std::span<const std::byte> bytes, const std::string& name) const {
    const char* fault = zip_name_fault(name);
    require(fault == nullptr, name, fault == nullptr ? "" : fault);
    const auto flags = get<std::uint16_t>(bytes, 8);
    require((flags & kFlagEncrypted) == 0, name, "it is encrypted");
    require((flags & kFlagDescriptor) == 0, name, "its sizes follow its data");
    require((flags & ~kFlagUtf8) == 0, name, "it has unknown flags");
    const bool ascii = std::ranges::all_of(name, [](char c) { return c >= 0; });
    require(ascii || (flags & kFlagUtf8) != 0, name, "its name is not marked as UTF-8");
    require(get<std::uint16_t>(bytes, 6) <= kVersionZip64, name, "it needs a newer zip version");
    require(get<std::uint16_t>(bytes, 10) == 0, name, "it is compressed; it must be stored");
    require(get<std::uint16_t>(bytes, 32) == 0, name, "it has a comment");
    require(get<std::uint16_t>(bytes, 34) == 0, name, "it is on another disk");
    const bool made_by_unix = get<std::uint16_t>(bytes, 4) >> 8 == kMadeByUnix;
    const std::uint32_t type = get<std::uint32_t>(bytes, 38) >> 16 & kUnixTypeMask;
    require(!made_by_unix || type == 0 || type == kUnixRegularFile, name,
            "it is not a regular file");
  }

  // Sets size and header from the 32-bit fields or, where these are all ones, from the zip64 field.
  void resolve_sizes(Record& record, std::span<const std::byte> bytes,
                     std::span<const std::byte> extra) const {
    const std::string& name = record.entry.name;
    std::span<const std::byte> wide = zip64_field(extra, name);
    const auto resolve = [&](std::size_t offset) -> std::uint64_t {
      const auto narrow = get<std::uint32_t>(bytes, offset);
      if (narrow != kIn64) {
        return narrow;
      }
      require(wide.size() >= 8, name, "its zip64 field is missing or too short");
      const auto value = get<std::uint64_t>(wide, 0);
      wide = wide.subspan(8);
      return value;
    };
    const std::uint64_t packed = resolve(20);
    record.entry.size = resolve(24);
    record.header = resolve(42);
    require(wide.empty(), name, "its zip64 field is too long");
    require(packed == record.entry.size, name, "its two sizes differ; it must be stored");
  }

  // The payload of the zip64 field among the extra fields, empty if there is none.
  std::span<const std::byte> zip64_field(std::span<const std::byte> extra,
                                         const std::string& name) const {
    std::span<const std::byte> found;
    bool seen[2] = {false, false};
    while (!extra.empty()) {
      require(extra.size() >= 4, name, "its extra fields are damaged");
      const auto id = get<std::uint16_t>(extra, 0);
      const std::size_t size = get<std::uint16_t>(extra, 2);
      require(size <= extra.size() - 4, name, "its extra fields are damaged");
      const auto payload = extra.subspan(4, size);
      require(id == kExtraZip64 || id == kExtraAlignment, name, "it has unknown extra fields");
      require(!std::exchange(seen[id == kExtraZip64 ? 0 : 1], true), name,
              "an extra field appears twice");
      if (id == kExtraZip64) {
        require(size > 0, name, "its zip64 field is empty");
        found = payload;
      } else {
        const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
        require(size >= 2 && std::ranges::all_of(payload.subspan(2), is_zero), name,
                "its alignment field is damaged");
      }
      extra = extra.subspan(4 + size);
    }
    return found;
  }

  void read_local_header(Record& record) {
    ZipEntry& entry = record.entry;
    const std::uint64_t room = record.header <= place_.offset ? place_.offset - record.header : 0;
    const std::uint64_t fixed = kLocalBytes + entry.name.size();
    require(fixed <= room, entry.name, "its local header lies outside the archive");
    Bytes header = source_.read(record.header, std::min(room, fixed + kExtraGuess));
    require(get<std::uint32_t>(header.view(), 0) == kLocalSignature, entry.name,
            "its local header is missing");
    const std::uint64_t extra_size = get<std::uint16_t>(header.view(), 28);
    const std::uint64_t total = fixed + extra_size;
    require(total <= room, entry.name, "its local header lies outside the archive");
    if (total > header.size()) {
      header = source_.read(record.header, total);
    }
    check_local_header(record, header.view().first(total));
    require(entry.size <= room - total, entry.name, "its data lies outside the archive");
    entry.offset = record.header + total;
    record.end = entry.offset + entry.size;
  }

  void check_local_header(const Record& record, std::span<const std::byte> bytes) const {
    const ZipEntry& entry = record.entry;
    const auto wide = zip64_field(bytes.subspan(kLocalBytes + entry.name.size()), entry.name);
    const auto packed = get<std::uint32_t>(bytes, 18);
    const auto size = get<std::uint32_t>(bytes, 22);
    bool same_sizes = packed == entry.size && size == entry.size && wide.empty();
    if (!wide.empty()) {
      same_sizes = wide.size() == 16 && packed == kIn64 && size == kIn64 &&
                   get<std::uint64_t>(wide, 0) == entry.size &&
                   get<std::uint64_t>(wide, 8) == entry.size;
    }
    const auto name = reinterpret_cast<const char*>(bytes.data()) + kLocalBytes;
    const bool same = same_sizes &&
                      std::ranges::equal(bytes.subspan(4, record.common.size()), record.common) &&
                      get<std::uint32_t>(bytes, 14) == entry.crc32 &&
                      get<std::uint16_t>(bytes, 26) == entry.name.size() &&
                      entry.name.compare(0, entry.name.size(), name, entry.name.size()) == 0;
    require(same, entry.name, "its local header differs from the directory");
  }

  // Headers and data must follow one another from the first byte to the directory.
  void check_layout() const {
    std::vector<std::uint32_t> order(records_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::sort(order, {}, [&](std::uint32_t i) { return records_[i].header; });
    std::uint64_t position = 0;
    for (const std::uint32_t i : order) {
      const Record& record = records_[i];
      require(record.header >= position, record.entry.name, "it overlaps another entry");
      require(record.header == position, record.entry.name, "unused bytes stand before it");
      position = record.end;
    }
    check<FormatError>(position == place_.offset,
                       "zip '{}': {} unused bytes stand before the directory", source_.name(),
                       place_.offset - position);
  }

  const Source& source_;
  const DirectoryPlace& place_;
  std::vector<Record> records_;
};

// Takes the numbers of the zip64 end record, which must stand right before its locator. The
// numbers of the short record must agree with it or be all ones.
DirectoryPlace read_end64(const Source& source, std::span<const std::byte> tail) {
  check<FormatError>(tail.size() == kTailBytes, "zip '{}': the zip64 end record is missing",
                     source.name());
  const std::span<const std::byte> end = tail.last(kEndBytes);
  const std::span<const std::byte> locator = tail.last(kEndBytes + kLocator64Bytes);
  const std::span<const std::byte> record = tail.first(kEnd64Bytes);
  const bool whole = get<std::uint64_t>(locator, 8) == source.size() - tail.size() &&
                     get<std::uint32_t>(locator, 4) == 0 && get<std::uint32_t>(locator, 16) == 1 &&
                     get<std::uint32_t>(record, 0) == kEnd64Signature &&
                     get<std::uint64_t>(record, 4) == kEnd64Bytes - 12 &&
                     get<std::uint16_t>(record, 14) <= kVersionZip64 &&
                     get<std::uint64_t>(record, 16) == 0 &&
                     get<std::uint64_t>(record, 24) == get<std::uint64_t>(record, 32);
  check<FormatError>(whole, "zip '{}': the zip64 end record is damaged", source.name());
  const DirectoryPlace place{get<std::uint64_t>(record, 24), get<std::uint64_t>(record, 40),
                             get<std::uint64_t>(record, 48)};
  const auto agree = [](std::uint64_t narrow, std::uint64_t wide, std::uint64_t see_wide) {
    return narrow == wide || narrow == see_wide;
  };
  check<FormatError>(agree(get<std::uint16_t>(end, 8), place.count, kIn64Short) &&
                         agree(get<std::uint16_t>(end, 10), place.count, kIn64Short) &&
                         agree(get<std::uint32_t>(end, 12), place.size, kIn64) &&
                         agree(get<std::uint32_t>(end, 16), place.offset, kIn64),
                     "zip '{}': the two end records differ", source.name());
  return place;
}

}  // namespace

DirectoryPlace find_directory(const Source& source) {
  check<FormatError>(source.size() >= kEndBytes,
                     "zip '{}': too short for an archive: {} bytes; expected at least {}",
                     source.name(), source.size(), kEndBytes);
  const std::uint64_t tail_size = std::min(source.size(), kTailBytes);
  const Bytes tail = source.read(source.size() - tail_size, tail_size);
  const std::span<const std::byte> end = tail.view().last(kEndBytes);
  check<FormatError>(get<std::uint32_t>(end, 0) == kEndSignature,
                     "zip '{}': no end record at the end: it is not an archive, was cut off, or "
                     "something was appended to it",
                     source.name());
  check<FormatError>(get<std::uint16_t>(end, 20) == 0, "zip '{}': it has a comment", source.name());
  check<FormatError>(get<std::uint32_t>(end, 4) == 0, "zip '{}': it spans several disks",
                     source.name());
  const bool is_zip64 =
      tail_size >= kEndBytes + kLocator64Bytes &&
      get<std::uint32_t>(tail.view().last(kEndBytes + kLocator64Bytes), 0) == kLocator64Signature;
  DirectoryPlace place{get<std::uint16_t>(end, 10), get<std::uint32_t>(end, 12),
                       get<std::uint32_t>(end, 16)};
  std::uint64_t directory_end = source.size() - kEndBytes;
  if (is_zip64) {
    place = read_end64(source, tail.view());
    directory_end = source.size() - kTailBytes;
  } else {
    check<FormatError>(get<std::uint16_t>(end, 8) == place.count,
                       "zip '{}': it spans several disks", source.name());
  }
  check<FormatError>(place.count <= kMaxZipEntries,
                     "zip '{}': too many entries: {}; the limit is {}", source.name(), place.count,
                     kMaxZipEntries);
  check<FormatError>(place.size <= kMaxDirectoryBytes,
                     "zip '{}': the directory is too large: {} bytes; the limit is {}",
                     source.name(), place.size, kMaxDirectoryBytes);
  check<FormatError>(place.offset <= directory_end && place.size == directory_end - place.offset,
                     "zip '{}': the directory does not end where the end record begins: offset {}, "
                     "{} bytes, expected end {}",
                     source.name(), place.offset, place.size, directory_end);
  return place;
}

std::vector<ZipEntry> read_directory(const Source& source, const DirectoryPlace& place) {
  return Reader(source, place).read();
}

}  // namespace zip
}  // namespace rondo::serialize
