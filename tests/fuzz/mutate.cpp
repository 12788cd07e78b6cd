#include "tests/fuzz/mutate.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/op/op_info.h"

namespace rondo::fuzz {
namespace {

// Pieces of text that a reader has to think about.
constexpr std::string_view kTokens[] = {"4611686018427387904",
                                        "-1",
                                        "1e400",
                                        "0",
                                        "null",
                                        "[]",
                                        "{}",
                                        "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
                                        "\"../x\"",
                                        "\"/etc/passwd\"",
                                        "\"batch\"",
                                        "\"2*seq//0\"",
                                        "\"((((((((\"",
                                        "\"train\"",
                                        "\"F64\"",
                                        "\"\\u0000\"",
                                        ",",
                                        "}",
                                        "\"main\"",
                                        "true"};

constexpr std::string_view kNumbers[] = {"0",
                                         "1",
                                         "2",
                                         "3",
                                         "-1",
                                         "-3",
                                         "8",
                                         "9",
                                         "64",
                                         "1000",
                                         "100000",
                                         "2147483648",
                                         "1000000007",
                                         "4611686018427387904",
                                         "-9223372036854775808",
                                         "9223372036854775807",
                                         "0.5",
                                         "1e300",
                                         "nan",
                                         "inf",
                                         "${batch}",
                                         "${2*batch+1}",
                                         "${batch//0}",
                                         "${batch*1000000}"};

constexpr std::string_view kWords[] = {"None",    "True",    "False",   "bool",
                                       "uint8",   "int64",   "float16", "bfloat16",
                                       "float32", "float64", "int8",    "return"};

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

/// A word, a number or a sign of a graph's text.
struct Token {
  enum class Kind { word, number, value, other };
  Kind kind = Kind::other;
  std::string text;
};

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::vector<Token> split(std::string_view text) {
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    Token token;
    const auto extend = [&](auto belongs) {
      while (end < text.size() && belongs(text[end])) {
        ++end;
      }
    };
    if (is_word(text[at])) {
      token.kind = Token::Kind::word;
      extend([](char c) { return is_word(c) || is_digit(c); });
    } else if (is_digit(text[at]) || text[at] == '-') {
      token.kind = Token::Kind::number;
      extend([](char c) { return is_digit(c) || c == '.' || c == 'e'; });
    } else if (text[at] == '%') {
      token.kind = Token::Kind::value;
      extend(is_digit);
    }
    token.text = text.substr(at, end - at);
    tokens.push_back(token);
    at = end;
  }
  return tokens;
}

template <class List>
const auto& any_of(const List& list, std::mt19937_64& random) {
  return *(std::begin(list) + static_cast<std::ptrdiff_t>(random() % std::size(list)));
}

std::string other_word(const std::vector<Token>& tokens, std::mt19937_64& random) {
  const OpTable& table = OpTable::instance();
  switch (random() % 3) {
    case 0:
      return std::string(any_of(kWords, random));
    case 1:
      if (table.size() > 0) {
        return std::string(
            table.get(static_cast<int>(random() % static_cast<std::uint64_t>(table.size()))).name);
      }
      [[fallthrough]];
    default:
      return any_of(tokens, random).text;
  }
}

std::string other_value(const std::vector<Token>& tokens, std::mt19937_64& random) {
  if (random() % 8 == 0) {
    return std::string(any_of(kNumbers, random));
  }
  for (int i = 0; i < 20; ++i) {
    const Token& token = any_of(tokens, random);
    if (token.kind == Token::Kind::value) {
      return token.text;
    }
  }
  return "%0";
}

void replace_token(std::vector<Token>& tokens, std::mt19937_64& random) {
  for (int tries = 0; tries < 50; ++tries) {
    Token& token = tokens[random() % tokens.size()];
    if (token.kind == Token::Kind::word) {
      token.text = other_word(tokens, random);
      return;
    }
    if (token.kind == Token::Kind::number) {
      token.text = any_of(kNumbers, random);
      return;
    }
    if (token.kind == Token::Kind::value) {
      token.text = other_value(tokens, random);
      return;
    }
  }
}

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

void change_lines(std::vector<std::string>& lines, std::mt19937_64& random) {
  const auto place = lines.begin() + static_cast<std::ptrdiff_t>(random() % lines.size());
  const std::string line = any_of(lines, random);
  if (random() % 2 == 0) {
    lines.erase(place);
  } else {
    lines.insert(place, line);
  }
}

}  // namespace

void mutate_bytes(ByteVector& bytes, std::mt19937_64& random) {
  const auto any_place = [&] {
    return bytes.begin() + static_cast<std::ptrdiff_t>(random() % (bytes.size() + 1));
  };
  const std::uint64_t kind = bytes.empty() ? 0 : random() % 6;
  if (kind == 0 || kind == 5) {
    const auto token = bytes_of(kTokens[random() % std::size(kTokens)]);
    auto place = any_place();
    if (kind == 5) {  // in the place of a text, so that JSON stays JSON
      const auto first = std::find(place, bytes.end(), std::byte{'"'});
      const auto last =
          first == bytes.end() ? first : std::find(first + 1, bytes.end(), std::byte{'"'});
      place = last == bytes.end() ? last : bytes.erase(first, last + 1);
    }
    bytes.insert(place, token.begin(), token.end());
  } else if (kind == 1) {
    bytes[random() % bytes.size()] ^= static_cast<std::byte>(1U << random() % 8);
  } else if (kind == 2) {
    bytes[random() % bytes.size()] = static_cast<std::byte>(random());
  } else if (kind == 3) {
    const auto first = any_place();
    bytes.erase(first,
                first + std::min<std::ptrdiff_t>(bytes.end() - first,
                                                 static_cast<std::ptrdiff_t>(random() % 40)));
  } else {
    // A piece from elsewhere, or all ones.
    const std::size_t size = std::min<std::size_t>(bytes.size(), 1 + random() % 40);
    const std::size_t from = random() % (bytes.size() - size + 1);
    ByteVector piece(bytes.begin() + static_cast<std::ptrdiff_t>(from),
                     bytes.begin() + static_cast<std::ptrdiff_t>(from + size));
    if (random() % 4 == 0) {
      std::ranges::fill(piece, std::byte{0xFF});
    }
    std::ranges::copy(
        piece, bytes.begin() + static_cast<std::ptrdiff_t>(random() % (bytes.size() - size + 1)));
  }
}

void mutate_graph(ByteVector& text, std::mt19937_64& random) {
  if (text.empty()) {
    return;
  }
  const std::string before(reinterpret_cast<const char*>(text.data()), text.size());
  std::string after;
  if (random() % 5 == 0) {
    std::vector<std::string> lines = lines_of(before);
    change_lines(lines, random);
    for (const std::string& line : lines) {
      after += line;
    }
  } else {
    std::vector<Token> tokens = split(before);
    replace_token(tokens, random);
    for (const Token& token : tokens) {
      after += token.text;
    }
  }
  const auto bytes = bytes_of(after);
  text.assign(bytes.begin(), bytes.end());
}

bool is_read(const std::function<void()>& body) {
  try {
    body();
    return true;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) {
      throw;
    }
    return false;
  }
}

ByteVector without_checksum(ByteVector file) {
  const std::string_view key = "rondo.crc32";
  const auto found =
      std::search(file.begin(), file.end(), key.begin(), key.end(),
                  [](std::byte byte, char c) { return byte == static_cast<std::byte>(c); });
  invariant(found != file.end(), "a seed has no checksum");
  *found = std::byte{'R'};
  return file;
}

}  // namespace rondo::fuzz
