// Checksums: CRC-32 for what stands in files, XXH3 with 128 bits for the keys of caches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace rondo::serialize {

/// CRC-32 as zip and gzip define it. To go on from earlier bytes pass their checksum as `before`.
/// Cost: 9 GB/s where the CPU multiplies polynomials (PCLMULQDQ), 1.7 GB/s elsewhere (Zen 3).
std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before = 0);

/// The same by table alone, on any CPU; public so that tests can compare the two.
std::uint32_t crc32_portable(std::span<const std::byte> bytes, std::uint32_t before = 0);

/// A 128-bit hash. Not cryptographic: it finds damage, not forgery.
struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;

  bool operator==(const Hash128&) const = default;
  /// 32 lower-case hexadecimal digits, high half first.
  std::string hex() const;
};

/// XXH3 with 128 bits. Equal bytes and seed give equal hashes on every machine.
Hash128 hash128(std::span<const std::byte> bytes, std::uint64_t seed = 0);

}  // namespace rondo::serialize
