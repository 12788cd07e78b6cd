// Small helpers for text that comes from files and may hold anything.
#pragma once

#include <string>
#include <string_view>

namespace rondo::serialize {

/// True if `text` is well-formed UTF-8 (no overlong forms, surrogates or codes past U+10FFFF).
bool is_utf8(std::string_view text);

/// True for ASCII control characters.
bool is_control(char c);

/// `text` fit for an error message: control characters and malformed bytes are written as \xNN, and
/// what passes `limit` bytes is replaced by "...".
std::string printable(std::string_view text, std::size_t limit = 80);

/// The same between single quotes.
std::string in_quotes(std::string_view text, std::size_t limit = 80);

}  // namespace rondo::serialize
