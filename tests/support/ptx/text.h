// Pieces of PTX text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::ptx {

using Words = std::vector<std::string>;

std::string trimmed(std::string_view text);

/// At `separator`, but not inside brackets.
Words split(std::string_view text, char separator);

std::string without_comments(std::string_view text);

std::int64_t to_number(const std::string& text);

/// ".align 8 .b8 name[24]" or ".u64 name": its size, alignment and name.
struct Declared {
  std::string name;
  int bytes = 0;
  int align = 1;
};

Declared parse_declaration(const std::string& text);

int align_up(int value, int align);

}  // namespace rondo::ptx
