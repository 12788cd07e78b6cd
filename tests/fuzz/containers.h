// What the fuzzer of containers and its replay in the ordinary tests share: seeds, the reading of
// anything, and mutations that keep checksums right.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "tests/fuzz/mutate.h"

namespace rondo::serialize {

using fuzz::ByteVector;
using fuzz::MutateBytes;

/// Valid archives and safetensors files, made by code.
std::vector<ByteVector> seed_containers();

enum class Outcome { refused, archive, safetensors };

/// Reads bytes as an archive and as a safetensors file, in all ways that a loader would, and checks
/// that what was read can be written and read again. Errors of Rondo are outcomes; any other
/// exception passes, and a broken round trip throws InternalError.
Outcome read_container(std::span<const std::byte> bytes);

/// One mutation: of raw bytes, of one entry of an archive or of a safetensors header; the sizes and
/// checksums around it are made right, so that what lies behind them is reached.
void mutate_container(ByteVector& bytes, const MutateBytes& mutate, std::mt19937_64& random);

/// Makes the checksums of an archive right, however damaged it is.
void repair_checksums(ByteVector& bytes);

}  // namespace rondo::serialize
