#include "serialize/checksum.h"

#include <fmt/format.h>
#include <immintrin.h>

#include <array>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace rondo::serialize {
namespace {

constexpr std::uint32_t kPolynomial = 0xEDB88320;  // reflected

using Tables = std::array<std::array<std::uint32_t, 256>, 8>;

// Row r gives the checksum of a byte followed by r zero bytes.
constexpr Tables make_tables() {
  Tables tables{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1U) != 0 ? kPolynomial : 0U);
    }
    tables[0][byte] = crc;
  }
  for (std::size_t row = 1; row < tables.size(); ++row) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t above = tables[row - 1][byte];
      tables[row][byte] = (above >> 8) ^ tables[0][above & 0xFF];
    }
  }
  return tables;
}

constexpr Tables kTables = make_tables();

// The three steps below work on the inverted checksum, so that they can be chained.
std::uint32_t step_by_byte(const std::byte* data, std::size_t size, std::uint32_t crc) {
  for (std::size_t i = 0; i < size; ++i) {
    crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<std::uint32_t>(data[i])) & 0xFF];
  }
  return crc;
}

std::uint32_t step_by_eight(const std::byte* data, std::size_t size, std::uint32_t crc) {
  for (; size >= 8; size -= 8, data += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, data, 8);
    word ^= crc;
    crc = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      crc ^= kTables[7 - i][(word >> (8 * i)) & 0xFF];
    }
  }
  return step_by_byte(data, size, crc);
}

// Gopal et al., "Fast CRC computation for generic polynomials using PCLMULQDQ" (Intel, 2009): four
// lanes of 128 bits are folded over the next 64 bytes by x^(4*128+-32) mod P, then into one lane,
// then reduced to 32 bits by Barrett's method. The constants are those of the paper, reflected.
#define RONDO_CLMUL __attribute__((target("pclmul,sse4.1")))

RONDO_CLMUL __m128i load(const std::byte* data) {
  return _mm_loadu_si128(reinterpret_cast<const __m128i*>(data));
}

RONDO_CLMUL __m128i fold(__m128i lane, __m128i next, __m128i factors) {
  const __m128i low = _mm_clmulepi64_si128(lane, factors, 0x00);
  const __m128i high = _mm_clmulepi64_si128(lane, factors, 0x11);
  return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

RONDO_CLMUL std::uint32_t reduce(__m128i lane) {
  const __m128i low_words = _mm_setr_epi32(-1, 0, -1, 0);
  const __m128i by_64 = _mm_set_epi64x(0, 0x0163CD6124);
  const __m128i barrett = _mm_set_epi64x(0x01F7011641, 0x01DB710641);
  const __m128i by_96 = _mm_set_epi64x(0, 0x00CCAA009E);
  // 128 -> 96 -> 64 bits.
  lane = _mm_xor_si128(_mm_srli_si128(lane, 8), _mm_clmulepi64_si128(lane, by_96, 0x00));
  lane = _mm_xor_si128(_mm_srli_si128(lane, 4),
                       _mm_clmulepi64_si128(_mm_and_si128(lane, low_words), by_64, 0x00));
  __m128i quotient = _mm_clmulepi64_si128(_mm_and_si128(lane, low_words), barrett, 0x10);
  quotient = _mm_clmulepi64_si128(_mm_and_si128(quotient, low_words), barrett, 0x00);
  return static_cast<std::uint32_t>(_mm_extract_epi32(_mm_xor_si128(lane, quotient), 1));
}

RONDO_CLMUL std::uint32_t step_by_clmul(const std::byte* data, std::size_t size,
                                        std::uint32_t crc) {
  const __m128i by_512 = _mm_set_epi64x(0x01C6E41596, 0x0154442BD4);
  const __m128i by_128 = _mm_set_epi64x(0x00CCAA009E, 0x01751997D0);
  __m128i lanes[4] = {load(data), load(data + 16), load(data + 32), load(data + 48)};
  lanes[0] = _mm_xor_si128(lanes[0], _mm_cvtsi32_si128(static_cast<int>(crc)));
  for (data += 64, size -= 64; size >= 64; data += 64, size -= 64) {
    for (std::size_t i = 0; i < 4; ++i) {
      lanes[i] = fold(lanes[i], load(data + 16 * i), by_512);
    }
  }
  __m128i lane = lanes[0];
  for (int i = 1; i < 4; ++i) {
    lane = fold(lane, lanes[i], by_128);
  }
  for (; size >= 16; data += 16, size -= 16) {
    lane = fold(lane, load(data), by_128);
  }
  return step_by_byte(data, size, reduce(lane));
}

bool has_clmul() {
  static const bool has = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
  return has;
}

}  // namespace

std::uint32_t crc32_portable(std::span<const std::byte> bytes, std::uint32_t before) {
  return ~step_by_eight(bytes.data(), bytes.size(), ~before);
}

std::uint32_t crc32(std::span<const std::byte> bytes, std::uint32_t before) {
  if (bytes.size() < 64 || !has_clmul()) {
    return crc32_portable(bytes, before);
  }
  return ~step_by_clmul(bytes.data(), bytes.size(), ~before);
}

std::string Hash128::hex() const {
  return fmt::format("{:016x}{:016x}", high, low);
}

Hash128 hash128(std::span<const std::byte> bytes, std::uint64_t seed) {
  const XXH128_hash_t hash = XXH3_128bits_withSeed(bytes.data(), bytes.size(), seed);
  return {hash.high64, hash.low64};
}

}  // namespace rondo::serialize
