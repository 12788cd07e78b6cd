// What the zip reader and writer share: an entry, the rule for names, signatures and byte order.
// Section numbers are those of PKWARE's APPNOTE.TXT 6.3.10.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::serialize {

/// One stored file of an archive.
struct ZipEntry {
  std::string name;
  std::uint64_t offset = 0;  // of its first data byte, from the start of the archive
  std::uint64_t size = 0;
  std::uint32_t crc32 = 0;

  bool operator==(const ZipEntry&) const = default;
};

inline constexpr std::uint64_t kMaxZipEntries = 65536;
inline constexpr std::size_t kMaxZipNameBytes = 1024;
inline constexpr std::uint64_t kZipAlignment = 64;

/// What is wrong with an entry name, or nullptr. Good names are relative UTF-8 paths with '/',
/// whose parts are neither empty nor '.' nor '..', without control characters, '\' and ':'.
const char* zip_name_fault(std::string_view name);

namespace zip {

inline constexpr std::uint32_t kLocalSignature = 0x04034B50;      // 4.3.7
inline constexpr std::uint32_t kCentralSignature = 0x02014B50;    // 4.3.12
inline constexpr std::uint32_t kEnd64Signature = 0x06064B50;      // 4.3.14
inline constexpr std::uint32_t kLocator64Signature = 0x07064B50;  // 4.3.15
inline constexpr std::uint32_t kEndSignature = 0x06054B50;        // 4.3.16
inline constexpr std::size_t kLocalBytes = 30;
inline constexpr std::size_t kCentralBytes = 46;
inline constexpr std::size_t kEnd64Bytes = 56;
inline constexpr std::size_t kLocator64Bytes = 20;
inline constexpr std::size_t kEndBytes = 22;

inline constexpr std::uint16_t kVersionZip64 = 45;
inline constexpr std::uint16_t kFlagUtf8 = 1U << 11;
inline constexpr std::uint16_t kExtraZip64 = 0x0001;
/// Padding that moves the data to a multiple of a number: that number, then zeros (zipalign).
inline constexpr std::uint16_t kExtraAlignment = 0xD935;
inline constexpr std::uint16_t kIn64Short = 0xFFFF;  // "see the zip64 record"
inline constexpr std::uint32_t kIn64 = 0xFFFFFFFF;   // "see the zip64 field"
inline constexpr std::uint32_t kUnixRegularFile = 0100000;
inline constexpr std::uint32_t kUnixTypeMask = 0170000;
inline constexpr std::uint16_t kMadeByUnix = 3;

/// The little-endian number at `offset`, which the caller has checked.
template <class T>
T get(std::span<const std::byte> bytes, std::size_t offset) {
  T value{};
  std::memcpy(&value, bytes.subspan(offset, sizeof(T)).data(), sizeof(T));
  return value;
}

template <class T>
void put(std::vector<std::byte>& bytes, T value) {
  const auto* data = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), data, data + sizeof(T));
}

}  // namespace zip
}  // namespace rondo::serialize
