#include "serialize/condition.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "core/base/error.h"
#include "serialize/text.h"

namespace rondo::serialize {
namespace {

using Comparison = Condition::Comparison;

struct Sign {
  std::string_view text;
  Comparison comparison;
};
// Longer ones first, so that "<=" is not read as "<".
constexpr std::array<Sign, 6> kSigns{{{"==", Comparison::equal},
                                      {"!=", Comparison::not_equal},
                                      {"<=", Comparison::at_most},
                                      {">=", Comparison::at_least},
                                      {"<", Comparison::less},
                                      {">", Comparison::greater}}};

std::string_view without_spaces(std::string_view text) {
  while (text.starts_with(' ')) {
    text.remove_prefix(1);
  }
  while (text.ends_with(' ')) {
    text.remove_suffix(1);
  }
  return text;
}

void add_sizes(const Dimension& dimension, const Bindings& sizes, std::string& text) {
  for (const std::string& symbol : dimension.symbols()) {
    const std::string part = fmt::format("{} is {}", symbol, sizes.find(symbol).value_or(0));
    if (text.find(part) == std::string::npos) {
      text += (text.empty() ? "" : ", ") + part;
    }
  }
}

}  // namespace

Condition Condition::parse(std::string_view text) {
  for (const Sign& sign : kSigns) {
    const std::size_t at = text.find(sign.text);
    if (at != std::string_view::npos) {
      return {Dimension::parse(without_spaces(text.substr(0, at))), sign.comparison,
              Dimension::parse(without_spaces(text.substr(at + sign.text.size())))};
    }
  }
  fail<FormatError>("condition: expected a comparison in {}", in_quotes(text));
}

bool Condition::holds(const Bindings& sizes) const {
  const std::int64_t a = left.evaluate(sizes);
  const std::int64_t b = right.evaluate(sizes);
  switch (comparison) {
    case Comparison::equal:
      return a == b;
    case Comparison::not_equal:
      return a != b;
    case Comparison::less:
      return a < b;
    case Comparison::at_most:
      return a <= b;
    case Comparison::greater:
      return a > b;
    default:
      return a >= b;
  }
}

void check_guard(std::string_view method, const Guard& guard, const Condition& condition,
                 const Bindings& sizes) {
  bool holds = false;
  try {
    holds = condition.holds(sizes);
  } catch (const ArgumentError&) {
    // A value that does not fit is no error of its own: it breaks the guard.
  }
  if (holds) {
    return;
  }
  std::string actual;
  add_sizes(condition.left, sizes, actual);
  add_sizes(condition.right, sizes, actual);
  fail<ShapeError>("{}: the sizes break a guard: {}, where {}: {}{}", method, guard.condition,
                   actual, guard.message,
                   guard.source.empty() ? "" : fmt::format(" ({})", guard.source));
}

}  // namespace rondo::serialize
