// What a fuzzer defines; fuzzer_main.cpp makes a libFuzzer program of it. Run
// `<name>_fuzz [-max_total_time=60] [corpus folder]`; `<name>_fuzz --write-seeds <folder>` starts a
// corpus.
#pragma once

#include <cstddef>
#include <random>
#include <span>
#include <vector>

#include "tests/fuzz/mutate.h"

namespace rondo::fuzz {

/// Inputs that are read without an error.
std::vector<ByteVector> seeds();

/// Reads an input. Errors of Rondo are outcomes; anything else that is thrown is a finding.
void run_one(std::span<const std::byte> bytes);

/// Changes an input so that it stays close to what is read; `mutate` changes plain bytes.
void mutate_one(ByteVector& bytes, const MutateBytes& mutate, std::mt19937_64& random);

}  // namespace rondo::fuzz
