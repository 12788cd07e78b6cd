// Replays the fuzzer of whole archives without libFuzzer: the seeds and 12,000 fixed mutations,
// each loaded and, if it loads, run.
#include "tests/fuzz/archives.h"

#include <gtest/gtest.h>

namespace rondo::fuzz {
namespace {

TEST(Archives, EverySeedRuns) {
  for (const ByteVector& seed : seed_archives()) {
    EXPECT_EQ(load_and_run(seed), Outcome::ran);
  }
}

TEST(Archives, TwelveThousandMutationsAreRefusedOrRunWithinBounds) {
  std::mt19937_64 random(20261201);
  const std::vector<ByteVector>& seeds = seed_archives();
  int counts[3] = {0, 0, 0};
  for (int i = 0; i < 12'000; ++i) {
    ByteVector bytes = seeds[random() % seeds.size()];
    const std::uint64_t rounds = 1 + random() % 2;
    for (std::uint64_t round = 0; round < rounds; ++round) {
      mutate_archive(bytes, [&](ByteVector& part) { mutate_bytes(part, random); }, random);
    }
    try {
      ++counts[static_cast<int>(load_and_run(bytes))];
    } catch (const std::exception& error) {
      FAIL() << "mutation " << i << ": " << error.what();
    }
  }
  RecordProperty("refused", counts[0]);
  RecordProperty("loaded", counts[1]);
  RecordProperty("ran", counts[2]);
  // Mutations that nothing survives, or that change nothing, would test nothing.
  for (const int count : counts) {
    EXPECT_GT(count, 200);
  }
}

}  // namespace
}  // namespace rondo::fuzz
