#include "tests/support/ptx/text.h"

#include <algorithm>
#include <cctype>

#include "tests/support/ptx/program.h"

namespace rondo::ptx {

std::string trimmed(std::string_view text) {
  const auto space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && space(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && space(text.back())) {
    text.remove_suffix(1);
  }
  return std::string(text);
}

Words split(std::string_view text, char separator) {
  Words parts;
  int depth = 0;
  std::string part;
  for (const char c : text) {
    depth += c == '{' || c == '[' || c == '(' ? 1 : 0;
    depth -= c == '}' || c == ']' || c == ')' ? 1 : 0;
    if (c == separator && depth == 0) {
      parts.push_back(trimmed(part));
      part.clear();
    } else {
      part += c;
    }
  }
  if (!trimmed(part).empty()) {
    parts.push_back(trimmed(part));
  }
  return parts;
}

std::string without_comments(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "//") {
      i = std::min(text.find('\n', i), text.size() - 1);
    }
    out += text[i];
  }
  return out;
}

std::int64_t to_number(const std::string& text) {
  return static_cast<std::int64_t>(text.starts_with("-")
                                       ? std::stoll(text, nullptr, 0)
                                       : static_cast<std::int64_t>(std::stoull(text, nullptr, 0)));
}

Declared parse_declaration(const std::string& text) {
  Declared declared;
  Words words;
  std::string word;
  for (const char c : text + " ") {
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (!word.empty()) {
        words.push_back(word);
      }
      word.clear();
    } else {
      word += c;
    }
  }
  int count = 1;
  for (std::size_t i = 0; i < words.size(); ++i) {
    Type type{};
    if (words[i] == ".align") {
      declared.align = std::stoi(words[++i]);
    } else if (words[i][0] == '.' && type_from_name(words[i].substr(1), type)) {
      declared.bytes = type_bytes(type);
      declared.align = std::max(declared.align, declared.bytes);
    } else if (words[i][0] != '.') {
      declared.name = words[i];
    }
  }
  if (const std::size_t bracket = declared.name.find('['); bracket != std::string::npos) {
    const std::string size =
        declared.name.substr(bracket + 1, declared.name.find(']') - bracket - 1);
    count = size.empty() ? 0 : std::stoi(size);
    declared.name.resize(bracket);
  }
  declared.bytes *= count;
  return declared;
}

int align_up(int value, int align) {
  return (value + align - 1) / align * align;
}

int type_bytes(Type type) {
  constexpr int kBytes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8};
  return kBytes[static_cast<int>(type)];
}

bool type_from_name(std::string_view name, Type& type) {
  constexpr std::string_view kNames[] = {"pred", "b8", "b16", "b32", "b64", "u8",  "u16", "u32",
                                         "u64",  "s8", "s16", "s32", "s64", "f16", "f32", "f64"};
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (name == kNames[i]) {
      type = static_cast<Type>(i);
      return true;
    }
  }
  return false;
}

}  // namespace rondo::ptx
