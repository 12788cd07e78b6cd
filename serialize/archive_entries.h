// The agreement of a manifest with the entries of its archive.
#pragma once

#include "serialize/manifest.h"
#include "serialize/zip_reader.h"

namespace rondo::serialize {

/// Checks that each entry that the manifest names exists, that tensors have the size of their dtype
/// and shape and the same checksum in both places, and that nothing else is in the archive but what
/// lies in `kernels/` and `extra/`. No data is read.
/// Errors: FormatError that names the entry.
void check_entries(const ZipReader& zip, const Manifest& manifest);

}  // namespace rondo::serialize
