#include "bindings/serve/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "core/base/error.h"

namespace rondo::serve {
namespace {

bool contains(const std::vector<std::string_view>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

template <class T>
T number(const std::string& command, std::string_view option, std::string_view text, T least,
         T most) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  check<ArgumentError>(
      error == std::errc() && end == text.data() + text.size() && value >= least && value <= most,
      "{}: {} is '{}'; expected a number from {} to {}", command, option, text, least, most);
  return value;
}

}  // namespace

Arguments::Arguments(std::string command, std::span<const std::string> words,
                     const std::vector<std::string_view>& options,
                     const std::vector<std::string_view>& flags)
    : command_(std::move(command)) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!word.starts_with("--")) {
      alone_.push_back(word);
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    if (contains(flags, name) && equals == std::string::npos) {
      options_.emplace_back(name, "");
      continue;
    }
    check<ArgumentError>(contains(options, name), "{}: there is no option {}; see rondo help",
                         command_, name);
    if (equals != std::string::npos) {
      options_.emplace_back(name, word.substr(equals + 1));
      continue;
    }
    check<ArgumentError>(i + 1 < words.size(), "{}: {} needs a value", command_, name);
    options_.emplace_back(name, words[++i]);
  }
}

const std::string& Arguments::file() const {
  check<ArgumentError>(alone_.size() == 1, "{}: expected one file, got {}", command_,
                       alone_.size());
  return alone_[0];
}

const std::string* Arguments::find(std::string_view option) const {
  const std::string* found = nullptr;
  for (const auto& [name, value] : options_) {
    found = name == option ? &value : found;
  }
  return found;
}

bool Arguments::has(std::string_view flag) const {
  return find(flag) != nullptr;
}

std::string Arguments::text(std::string_view option, std::string_view otherwise) const {
  const std::string* found = find(option);
  return found == nullptr ? std::string(otherwise) : *found;
}

std::int64_t Arguments::integer(std::string_view option, std::int64_t least, std::int64_t most,
                                std::int64_t otherwise) const {
  const std::string* found = find(option);
  return found == nullptr ? otherwise : number(command_, option, *found, least, most);
}

double Arguments::real(std::string_view option, double least, double most, double otherwise) const {
  const std::string* found = find(option);
  return found == nullptr ? otherwise : number(command_, option, *found, least, most);
}

std::vector<std::pair<std::string, std::string>> Arguments::pairs(std::string_view option) const {
  std::vector<std::pair<std::string, std::string>> result;
  for (const auto& [name, value] : options_) {
    if (name == option) {
      const std::size_t equals = value.find('=');
      check<ArgumentError>(equals != std::string::npos && equals > 0,
                           "{}: {} is '{}'; expected name=file.npy", command_, option, value);
      result.emplace_back(value.substr(0, equals), value.substr(equals + 1));
    }
  }
  return result;
}

std::vector<std::int64_t> Arguments::integers(std::string_view option, std::int64_t least,
                                              std::int64_t most) const {
  std::vector<std::int64_t> result;
  std::string rest = text(option, "");
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    result.push_back(number(command_, option, rest.substr(0, comma), least, most));
    rest.erase(0, comma + 1);
  }
  return result;
}

}  // namespace rondo::serve
