#include "serialize/text.h"

#include <fmt/format.h>

#include <cstdint>

namespace rondo::serialize {
namespace {

// The bytes of the character that `text` begins with, or 0 if it is malformed (Unicode 15, table
// 3-7).
std::size_t character_size(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<std::uint8_t>(text[i]) : std::uint8_t{0};
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0) == 0x80; };
  const std::uint8_t first = byte(0);
  if (first < 0x80) {
    return 1;
  }
  if (first >= 0xC2 && first <= 0xDF) {
    return follows(1) ? 2 : 0;
  }
  if (first >= 0xE0 && first <= 0xEF) {
    const bool second =
        follows(1) && (first != 0xE0 || byte(1) >= 0xA0) && (first != 0xED || byte(1) < 0xA0);
    return second && follows(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const bool second =
        follows(1) && (first != 0xF0 || byte(1) >= 0x90) && (first != 0xF4 || byte(1) < 0x90);
    return second && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

bool is_control(char c) {
  return static_cast<std::uint8_t>(c) < 0x20 || c == 0x7F;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    if (size == 0) {
      return false;
    }
    text.remove_prefix(size);
  }
  return true;
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string result;
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    const bool plain = size != 0 && !is_control(text[0]);
    const std::string next = plain ? std::string(text.substr(0, size))
                                   : fmt::format("\\x{:02x}", static_cast<std::uint8_t>(text[0]));
    if (result.size() + next.size() > limit) {
      return result + "...";
    }
    result += next;
    text.remove_prefix(plain ? size : 1);
  }
  return result;
}

std::string in_quotes(std::string_view text, std::size_t limit) {
  return "'" + printable(text, limit) + "'";
}

}  // namespace rondo::serialize
