// What the fuzzer of whole archives and its replay in the ordinary tests share: archives of traced
// programs, and loading and running anything within bounds.
#pragma once

#include <random>
#include <span>
#include <string>
#include <vector>

#include "tests/fuzz/mutate.h"

namespace rondo::fuzz {

/// Archives that the library itself exports: programs of most kinds of op, whose shapes depend on
/// up to two symbols.
const std::vector<ByteVector>& seed_archives();

/// The graphs in them, as text.
std::vector<std::string> seed_graphs();

enum class Outcome { refused, loaded, ran };

inline constexpr std::int64_t kMostBytes = std::int64_t{256} << 20;
inline constexpr double kMostSeconds = 1;

/// Loads bytes as an archive; then checks its golden cases and runs every method in every mode on
/// inputs made from its signature. `ran`: at least one run gave results. Errors of Rondo are
/// outcomes. Throws std::logic_error if a run takes more memory of tensors than kMostBytes or more
/// processor time than kMostSeconds.
Outcome load_and_run(std::span<const std::byte> bytes);

/// One mutation of raw bytes, of the manifest, of a graph or of a weight; sizes and checksums, also
/// those in the manifest, are made right, so that what lies behind them is reached.
void mutate_archive(ByteVector& bytes, const MutateBytes& mutate, std::mt19937_64& random);

}  // namespace rondo::fuzz
