// Files in the temporary folder of a test.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "tests/support/temporary_folder.h"

namespace rondo::serialize {

inline std::string file_in(const TemporaryFolder& folder, std::string_view name) {
  return (folder.path() / name).string();
}

inline std::ptrdiff_t count_files(const TemporaryFolder& folder) {
  const std::filesystem::directory_iterator files(folder.path());
  return std::distance(begin(files), end(files));
}

inline void write_text(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace rondo::serialize
