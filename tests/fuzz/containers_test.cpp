// Replays the fuzzer of containers without libFuzzer: the seeds and 12,000 fixed mutations.
#include "tests/fuzz/containers.h"

#include <gtest/gtest.h>

namespace rondo::serialize {
namespace {

TEST(Containers, EverySeedButTheEmptyOneIsRead) {
  const Outcome expected[] = {Outcome::archive, Outcome::archive, Outcome::archive,
                              Outcome::refused, Outcome::safetensors};
  const std::vector<ByteVector> seeds = seed_containers();
  ASSERT_EQ(seeds.size(), std::size(expected));
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    EXPECT_EQ(read_container(seeds[i]), expected[i]) << i;
  }
}

TEST(Containers, TwelveThousandMutationsAreReadOrRefused) {
  std::mt19937_64 random(20261130);
  const std::vector<ByteVector> seeds = seed_containers();
  int counts[3] = {0, 0, 0};
  for (int i = 0; i < 12'000; ++i) {
    ByteVector bytes = seeds[random() % seeds.size()];
    const std::uint64_t rounds = 1 + random() % 2;
    for (std::uint64_t round = 0; round < rounds; ++round) {
      mutate_container(bytes, [&](ByteVector& part) { fuzz::mutate_bytes(part, random); }, random);
    }
    try {
      ++counts[static_cast<int>(read_container(bytes))];
    } catch (const std::exception& error) {
      FAIL() << "mutation " << i << ": " << error.what();
    }
  }
  // Mutations that nothing survives, or that change nothing, would test nothing.
  for (const Outcome outcome : {Outcome::refused, Outcome::archive, Outcome::safetensors}) {
    EXPECT_GT(counts[static_cast<int>(outcome)], 200) << static_cast<int>(outcome);
  }
}

}  // namespace
}  // namespace rondo::serialize
