// libFuzzer on archives, manifests and safetensors files, read but not run.
#include "tests/fuzz/containers.h"
#include "tests/fuzz/fuzzer.h"

namespace rondo::fuzz {

std::vector<ByteVector> seeds() {
  return serialize::seed_containers();
}

void run_one(std::span<const std::byte> bytes) {
  serialize::read_container(bytes);
}

void mutate_one(ByteVector& bytes, const MutateBytes& mutate, std::mt19937_64& random) {
  serialize::mutate_container(bytes, mutate, random);
}

}  // namespace rondo::fuzz
