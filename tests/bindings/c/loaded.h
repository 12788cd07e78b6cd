// Loads an archive of memory through the C ABI.
#pragma once

#include <cstddef>
#include <cstring>
#include <rondo/rondo.hpp>
#include <utility>
#include <vector>

namespace rondo::test {

inline api::Module loaded(const std::vector<std::byte>& bytes) {
  std::vector<unsigned char> copy(bytes.size());
  std::memcpy(copy.data(), bytes.data(), bytes.size());
  return api::Module::load_bytes(std::move(copy));
}

}  // namespace rondo::test
