#include "serialize/zip_format.h"

#include <algorithm>

#include "serialize/text.h"

namespace rondo::serialize {

const char* zip_name_fault(std::string_view name) {
  if (name.empty()) {
    return "the name is empty";
  }
  if (name.size() > kMaxZipNameBytes) {
    return "the name is longer than 1024 bytes";
  }
  if (!is_utf8(name)) {
    return "the name is not UTF-8";
  }
  const auto is_forbidden = [](char c) { return is_control(c) || c == '\\' || c == ':'; };
  if (std::ranges::any_of(name, is_forbidden)) {
    return "the name holds a control character, '\\' or ':'";
  }
  if (name.front() == '/') {
    return "the name is absolute";
  }
  for (std::size_t begin = 0; begin <= name.size();) {
    const std::size_t end = std::min(name.find('/', begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    if (part.empty() || part == "." || part == "..") {
      return "the name has a part that is empty, '.' or '..'";
    }
    begin = end + 1;
  }
  return nullptr;
}

}  // namespace rondo::serialize
