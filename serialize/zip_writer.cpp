#include "serialize/zip_writer.h"

#include "core/base/error.h"
#include "serialize/checksum.h"
#include "serialize/text.h"

namespace rondo::serialize {
namespace {

using zip::put;

constexpr std::uint16_t kMadeBy = zip::kMadeByUnix << 8 | zip::kVersionZip64;
constexpr std::uint32_t kAttributes = (zip::kUnixRegularFile | 0644) << 16;
constexpr std::uint16_t kDate = 1 << 5 | 1;  // 1980-01-01, the first day that zip knows
constexpr std::size_t kExtraHeaderBytes = 4;
constexpr std::size_t kLocal64Bytes = kExtraHeaderBytes + 16;
constexpr std::size_t kPaddingFieldBytes = kExtraHeaderBytes + 2;

void put_text(std::vector<std::byte>& bytes, std::string_view text) {
  const auto raw = std::as_bytes(std::span(text.data(), text.size()));
  bytes.insert(bytes.end(), raw.begin(), raw.end());
}

// The fields that local and central headers have in common, up to the length of the name.
void put_common(std::vector<std::byte>& bytes, const ZipEntry& entry) {
  put<std::uint16_t>(bytes, zip::kVersionZip64);
  put<std::uint16_t>(bytes, zip::kFlagUtf8);
  put<std::uint16_t>(bytes, 0);  // stored
  put<std::uint16_t>(bytes, 0);  // midnight
  put<std::uint16_t>(bytes, kDate);
  put<std::uint32_t>(bytes, entry.crc32);
  put<std::uint32_t>(bytes, zip::kIn64);
  put<std::uint32_t>(bytes, zip::kIn64);
  put<std::uint16_t>(bytes, static_cast<std::uint16_t>(entry.name.size()));
}

std::vector<std::byte> local_header(const ZipEntry& entry, std::uint64_t position) {
  const std::uint64_t unpadded =
      position + zip::kLocalBytes + entry.name.size() + kLocal64Bytes + kPaddingFieldBytes;
  const std::uint64_t padding = (kZipAlignment - unpadded % kZipAlignment) % kZipAlignment;
  std::vector<std::byte> bytes;
  put<std::uint32_t>(bytes, zip::kLocalSignature);
  put_common(bytes, entry);
  put(bytes, static_cast<std::uint16_t>(kLocal64Bytes + kPaddingFieldBytes + padding));
  put_text(bytes, entry.name);
  put<std::uint16_t>(bytes, zip::kExtraZip64);
  put<std::uint16_t>(bytes, kLocal64Bytes - kExtraHeaderBytes);
  put<std::uint64_t>(bytes, entry.size);
  put<std::uint64_t>(bytes, entry.size);
  put<std::uint16_t>(bytes, zip::kExtraAlignment);
  put(bytes, static_cast<std::uint16_t>(2 + padding));
  put<std::uint16_t>(bytes, kZipAlignment);
  bytes.resize(bytes.size() + padding);
  return bytes;
}

void put_central_header(std::vector<std::byte>& bytes, const ZipEntry& entry,
                        std::uint64_t header) {
  constexpr std::uint16_t kPayloadBytes = 24;
  put<std::uint32_t>(bytes, zip::kCentralSignature);
  put<std::uint16_t>(bytes, kMadeBy);
  put_common(bytes, entry);
  put<std::uint16_t>(bytes, kExtraHeaderBytes + kPayloadBytes);
  put<std::uint16_t>(bytes, 0);  // no comment
  put<std::uint16_t>(bytes, 0);  // disk
  put<std::uint16_t>(bytes, 0);  // internal attributes
  put<std::uint32_t>(bytes, kAttributes);
  put<std::uint32_t>(bytes, zip::kIn64);
  put_text(bytes, entry.name);
  put<std::uint16_t>(bytes, zip::kExtraZip64);
  put<std::uint16_t>(bytes, kPayloadBytes);
  put<std::uint64_t>(bytes, entry.size);
  put<std::uint64_t>(bytes, entry.size);
  put<std::uint64_t>(bytes, header);
}

void put_end(std::vector<std::byte>& bytes, std::uint64_t count, std::uint64_t start) {
  const std::uint64_t size = bytes.size();
  put<std::uint32_t>(bytes, zip::kEnd64Signature);
  put<std::uint64_t>(bytes, zip::kEnd64Bytes - 12);  // of the rest of this record
  put<std::uint16_t>(bytes, kMadeBy);
  put<std::uint16_t>(bytes, zip::kVersionZip64);
  put<std::uint32_t>(bytes, 0);  // this disk
  put<std::uint32_t>(bytes, 0);  // the disk of the directory
  put<std::uint64_t>(bytes, count);
  put<std::uint64_t>(bytes, count);
  put<std::uint64_t>(bytes, size);
  put<std::uint64_t>(bytes, start);
  put<std::uint32_t>(bytes, zip::kLocator64Signature);
  put<std::uint32_t>(bytes, 0);  // the disk of the zip64 record
  put<std::uint64_t>(bytes, start + size);
  put<std::uint32_t>(bytes, 1);  // number of disks
  put<std::uint32_t>(bytes, zip::kEndSignature);
  put<std::uint16_t>(bytes, 0);
  put<std::uint16_t>(bytes, 0);
  put<std::uint16_t>(bytes, zip::kIn64Short);
  put<std::uint16_t>(bytes, zip::kIn64Short);
  put<std::uint32_t>(bytes, zip::kIn64);
  put<std::uint32_t>(bytes, zip::kIn64);
  put<std::uint16_t>(bytes, 0);  // no comment
}

}  // namespace

ZipEntry ZipWriter::add(std::string_view name, std::span<const std::byte> data) {
  invariant(!finished_, "an entry is added to a finished archive");
  const char* fault = zip_name_fault(name);
  check<ArgumentError>(fault == nullptr, "zip: entry {}: {}", in_quotes(name),
                       fault == nullptr ? "" : fault);
  check<ArgumentError>(entries_.size() < kMaxZipEntries, "zip: too many entries: the limit is {}",
                       kMaxZipEntries);
  check<ArgumentError>(names_.emplace(name).second, "zip: entry {}: the name is taken",
                       in_quotes(name));
  ZipEntry entry{std::string(name), 0, data.size(), serialize::crc32(data)};
  headers_.push_back(position_);
  write(local_header(entry, position_));
  entry.offset = position_;
  write(data);
  return entries_.emplace_back(std::move(entry));
}

void ZipWriter::finish() {
  invariant(!finished_, "an archive is finished twice");
  finished_ = true;
  std::vector<std::byte> directory;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    put_central_header(directory, entries_[i], headers_[i]);
  }
  put_end(directory, entries_.size(), position_);
  write(directory);
  sink_.commit();
}

void ZipWriter::write(std::span<const std::byte> bytes) {
  sink_.write(bytes);
  position_ += bytes.size();
}

}  // namespace rondo::serialize
