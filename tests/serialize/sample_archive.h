// An archive that uses every field of the manifest, for tests and as a seed of the fuzzer.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "serialize/manifest.h"

namespace rondo::serialize {

/// Names and data of entries.
using Contents = std::vector<std::pair<std::string, std::string>>;

Manifest sample_manifest();

/// The sample manifest and the entries that it names.
Contents sample_contents();

/// The archive of these entries, as the writer writes it.
std::vector<std::byte> archive_of(const Contents& contents);

}  // namespace rondo::serialize
