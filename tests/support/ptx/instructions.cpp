#include "tests/support/ptx/instructions.h"

#include <algorithm>

namespace rondo::ptx {
namespace {

bool take_space(const std::string& word, Code& code) {
  constexpr std::pair<const char*, Space> kSpaces[] = {{"global", Space::global},
                                                       {"const", Space::global},
                                                       {"shared", Space::shared},
                                                       {"local", Space::local},
                                                       {"param", Space::param}};
  for (const auto& [name, space] : kSpaces) {
    if (word == name) {
      code.space = space;
      return true;
    }
  }
  return false;
}

bool take_rounding(const std::string& word, Code& code) {
  constexpr std::pair<const char*, Rounding> kRoundings[] = {{"rn", Rounding::nearest},
                                                             {"rz", Rounding::zero},
                                                             {"rm", Rounding::down},
                                                             {"rp", Rounding::up}};
  for (const auto& [name, rounding] : kRoundings) {
    if (word == name || word == std::string(name) + "i") {
      code.rounding = rounding;
      code.to_integer = word.size() == 3;
      return true;
    }
  }
  return false;
}

/// Words that change nothing here: every branch is a thread's own, and there are no caches.
bool is_hint(const std::string& word) {
  constexpr const char* kHints[] = {"uni", "nc"};
  return std::any_of(std::begin(kHints), std::end(kHints),
                     [&](const char* hint) { return word == hint; });
}

}  // namespace

/// What is neither a type, nor a space, nor a rounding is a part of the name, so that a word that
/// nobody thought of (ftz, sat, approx) makes the instruction unknown.
Handler find_handler(const std::vector<std::string>& words, Code& code) {
  std::string name = words[0];
  int types = 0;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    Type type{};
    if (type_from_name(word, type)) {
      (types++ == 0 ? code.type : code.source_type) = type;
    } else if (word == "v2" || word == "v4") {
      code.width = word[1] - '0';
    } else if (!is_hint(word) && !take_space(word, code) && !take_rounding(word, code)) {
      name += "." + word;
    }
  }
  // Of the rounding of what is exact or rounded as always, nearest is the only one known.
  if (words[0] != "cvt" && code.rounding != Rounding::none && code.rounding != Rounding::nearest) {
    return nullptr;
  }
  if (name == "cvt" && types == 2) {
    return find_conversion(code);
  }
  for (const auto find : {&find_control, &find_arithmetic, &find_comparison}) {
    if (const Handler handler = find(name, code); handler != nullptr) {
      return handler;
    }
  }
  return nullptr;
}

}  // namespace rondo::ptx
