// The records at the end of a zip file and its local headers, parsed and checked.
#pragma once

#include <string>
#include <vector>

#include "serialize/bytes.h"
#include "serialize/zip_format.h"

namespace rondo::serialize::zip {

/// Where the directory stands, from the end records.
struct DirectoryPlace {
  std::uint64_t count = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
};

/// Reads the end records. Errors: FormatError if they are not exactly at the end of the source.
DirectoryPlace find_directory(const Source& source);

/// Reads the directory and all local headers. Errors: FormatError if any two of them disagree, or
/// if headers and data do not fill the source without gaps up to the directory.
std::vector<ZipEntry> read_directory(const Source& source, const DirectoryPlace& place);

}  // namespace rondo::serialize::zip
