// libFuzzer on archives, manifests and safetensors files. Build with RONDO_FUZZ, run
// `container_fuzz [-max_total_time=60] [corpus folder]`; a corpus is started with
// `container_fuzz --write-seeds <folder>`.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "tests/fuzz/containers.h"

using rondo::serialize::ByteVector;

extern "C" {

std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

int LLVMFuzzerInitialize(int* count, char*** arguments) {
  if (*count == 3 && std::strcmp((*arguments)[1], "--write-seeds") == 0) {
    int number = 0;
    for (const ByteVector& seed : rondo::serialize::seed_containers()) {
      std::ofstream file((*arguments)[2] + ("/seed" + std::to_string(number++)), std::ios::binary);
      file.write(reinterpret_cast<const char*>(seed.data()),
                 static_cast<std::streamsize>(seed.size()));
    }
    std::exit(0);
  }
  return 0;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rondo::serialize::read_container(std::as_bytes(std::span(data, size)));
  return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                    unsigned seed) {
  std::mt19937_64 random(seed);
  const auto bytes = std::as_bytes(std::span(data, size));
  ByteVector copy(bytes.begin(), bytes.end());
  const auto mutate = [max_size](ByteVector& part) {
    const std::size_t old_size = part.size();
    part.resize(std::max<std::size_t>(max_size, old_size + 1));
    auto* start = reinterpret_cast<std::uint8_t*>(part.data());
    part.resize(LLVMFuzzerMutate(start, old_size, part.size()));
  };
  rondo::serialize::mutate_container(copy, mutate, random);
  if (copy.size() > max_size) {
    return size;  // unchanged
  }
  std::memcpy(data, copy.data(), copy.size());
  return copy.size();
}

}  // extern "C"
