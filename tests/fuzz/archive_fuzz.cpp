// libFuzzer on whole archives: load, check the golden cases, run every method.
#include "tests/fuzz/archives.h"
#include "tests/fuzz/fuzzer.h"

namespace rondo::fuzz {

std::vector<ByteVector> seeds() {
  return seed_archives();
}

void run_one(std::span<const std::byte> bytes) {
  load_and_run(bytes);
}

void mutate_one(ByteVector& bytes, const MutateBytes& mutate, std::mt19937_64& random) {
  mutate_archive(bytes, mutate, random);
}

}  // namespace rondo::fuzz
