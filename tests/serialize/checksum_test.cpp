// Tests of the checksums: known values, a reference bit by bit, and chaining.
#include "serialize/checksum.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "tests/serialize/archive_bytes.h"

namespace rondo::serialize {
namespace {

std::vector<std::byte> random_bytes(std::size_t count) {
  std::mt19937 random(7);
  std::vector<std::byte> bytes(count);
  for (std::byte& byte : bytes) {
    byte = static_cast<std::byte>(random());
  }
  return bytes;
}

std::uint32_t crc32_by_bit(std::span<const std::byte> bytes) {
  std::uint32_t crc = 0xFFFFFFFF;
  for (const std::byte byte : bytes) {
    crc ^= static_cast<std::uint32_t>(byte);
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0xEDB88320U : 0U);
    }
  }
  return ~crc;
}

TEST(Crc32, GivesTheValuesOfTheZipSpecification) {
  EXPECT_EQ(crc32({}), 0U);
  EXPECT_EQ(crc32(bytes_of("123456789")), 0xCBF43926U);
  EXPECT_EQ(crc32_portable(bytes_of("123456789")), 0xCBF43926U);
}

TEST(Crc32, EqualsTheReferenceAtEveryLengthAndOffset) {
  const std::vector<std::byte> bytes = random_bytes(700);
  for (std::size_t offset = 0; offset < 17; ++offset) {
    for (std::size_t size = 0; size + offset <= 400; ++size) {
      const auto part = std::span(bytes).subspan(offset, size);
      const std::uint32_t expected = crc32_by_bit(part);
      ASSERT_EQ(crc32(part), expected) << "offset " << offset << ", size " << size;
      ASSERT_EQ(crc32_portable(part), expected) << "offset " << offset << ", size " << size;
    }
  }
}

TEST(Crc32, GoesOnFromTheChecksumOfEarlierBytes) {
  const std::vector<std::byte> bytes = random_bytes(700);
  const auto all = std::span<const std::byte>(bytes);
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    ASSERT_EQ(crc32(all.subspan(cut), crc32(all.first(cut))), crc32(all)) << "cut at " << cut;
  }
}

TEST(Hash128, GivesTheValuesOfXxh3) {
  EXPECT_EQ(hash128({}).hex(), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(hash128(bytes_of("a")).hex(), "a96faf705af16834e6c632b61e964e1f");
}

TEST(Hash128, DependsOnEachByteAndOnTheSeed) {
  std::vector<std::byte> bytes = random_bytes(300);
  const Hash128 hash = hash128(bytes);
  EXPECT_EQ(hash128(bytes), hash);
  EXPECT_NE(hash128(bytes, 1), hash);
  for (std::byte& byte : bytes) {
    byte ^= std::byte{1};
    EXPECT_NE(hash128(bytes), hash);
    byte ^= std::byte{1};
  }
}

}  // namespace
}  // namespace rondo::serialize
