// The entry points of libFuzzer for the fuzzer that it is linked with.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "tests/fuzz/fuzzer.h"

using rondo::fuzz::ByteVector;

extern "C" {

std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

int LLVMFuzzerInitialize(int* count, char*** arguments) {
  if (*count == 3 && std::strcmp((*arguments)[1], "--write-seeds") == 0) {
    int number = 0;
    for (const ByteVector& seed : rondo::fuzz::seeds()) {
      std::ofstream file((*arguments)[2] + ("/seed" + std::to_string(number++)), std::ios::binary);
      file.write(reinterpret_cast<const char*>(seed.data()),
                 static_cast<std::streamsize>(seed.size()));
    }
    std::exit(0);
  }
  return 0;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  rondo::fuzz::run_one(std::as_bytes(std::span(data, size)));
  return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                    unsigned seed) {
  std::mt19937_64 random(seed);
  const auto bytes = std::as_bytes(std::span(data, size));
  ByteVector copy(bytes.begin(), bytes.end());
  const auto mutate = [&](ByteVector& part) {
    if (random() % 2 == 0) {
      rondo::fuzz::mutate_bytes(part, random);
      return;
    }
    const std::size_t old_size = part.size();
    part.resize(std::max<std::size_t>(max_size, old_size + 1));
    auto* start = reinterpret_cast<std::uint8_t*>(part.data());
    part.resize(LLVMFuzzerMutate(start, old_size, part.size()));
  };
  rondo::fuzz::mutate_one(copy, mutate, random);
  if (copy.size() > max_size) {
    return size;  // unchanged
  }
  std::memcpy(data, copy.data(), copy.size());
  return copy.size();
}

}  // extern "C"
