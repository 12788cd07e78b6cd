// A manifest that uses every field, for tests and as a seed of the fuzzer.
#pragma once

#include "serialize/manifest.h"

namespace rondo::serialize {

Manifest sample_manifest();

}  // namespace rondo::serialize
