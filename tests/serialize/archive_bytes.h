// Sources over text, for tests of readers.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "serialize/bytes.h"

namespace rondo::serialize {

inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// A source named "test" over its own copy of `text`.
inline std::shared_ptr<const Source> source_of(std::string_view text) {
  const auto owner = std::make_shared<const std::string>(text);
  return open_bytes({owner, bytes_of(*owner)}, "test");
}

}  // namespace rondo::serialize
