#include "serialize/dimension.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/base/error.h"
#include "serialize/text.h"

namespace rondo::serialize {
namespace {

using Kind = Dimension::Kind;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_name_part(char c) {
  return is_name_start(c) || is_digit(c);
}

bool is_symbol_name(std::string_view name) {
  return !name.empty() && name.size() <= Dimension::kMaxSymbolBytes && is_name_start(name[0]) &&
         std::ranges::all_of(name, is_name_part);
}

const char* operator_text(Kind kind) {
  switch (kind) {
    case Kind::add:
      return "+";
    case Kind::subtract:
      return "-";
    case Kind::multiply:
      return "*";
    default:
      return "//";
  }
}

int precedence(Kind kind) {
  switch (kind) {
    case Kind::add:
    case Kind::subtract:
      return 1;
    case Kind::multiply:
    case Kind::floor_divide:
      return 2;
    default:
      return 3;
  }
}

// False if the result does not fit, or for a division by zero.
bool apply(Kind kind, std::int64_t a, std::int64_t b, std::int64_t& result) {
  switch (kind) {
    case Kind::add:
      return !__builtin_add_overflow(a, b, &result);
    case Kind::subtract:
      return !__builtin_sub_overflow(a, b, &result);
    case Kind::multiply:
      return !__builtin_mul_overflow(a, b, &result);
    default:
      break;
  }
  if (b == 0 || (b == -1 && __builtin_sub_overflow(std::int64_t{0}, a, &result))) {
    return false;
  }
  result = a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
  return true;
}

// Recursive descent over: sum = product (('+'|'-') product)*, product = factor (('*'|'//')
// factor)*, factor = ['-'] digits | name | '(' sum ')'.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Dimension parse() {
    Dimension result = parse_sum(0);
    if (!at_end()) {
      fail_at("an operator or the end");
    }
    return result;
  }

 private:
  // Each parenthesis costs a level, so that the recursion is bounded before a tree exists.
  Dimension parse_sum(int level) {
    if (level > Dimension::kMaxDepth) {
      fail_at(fmt::format("at most {} nested parentheses", Dimension::kMaxDepth));
    }
    Dimension result = parse_product(level);
    for (;;) {
      if (take("+")) {
        result = std::move(result) + parse_product(level);
      } else if (take("-")) {
        result = std::move(result) - parse_product(level);
      } else {
        return result;
      }
    }
  }

  Dimension parse_product(int level) {
    Dimension result = parse_factor(level);
    for (;;) {
      if (take("*")) {
        result = std::move(result) * parse_factor(level);
      } else if (take("//")) {
        result = Dimension::floor_divide(std::move(result), parse_factor(level));
      } else {
        return result;
      }
    }
  }

  Dimension parse_factor(int level) {
    if (take("(")) {
      Dimension result = parse_sum(level + 1);
      if (!take(")")) {
        fail_at("')'");
      }
      return result;
    }
    skip_spaces();
    const std::string_view rest = text_.substr(position_);
    if (!rest.empty() && (is_digit(rest[0]) || rest[0] == '-')) {
      return parse_integer(rest);
    }
    const auto end = std::ranges::find_if_not(rest, is_name_part);
    const std::string_view name(rest.begin(), end);
    if (!is_symbol_name(name)) {
      fail_at("a number, a name or '('");
    }
    position_ += name.size();
    return Dimension::symbol(name);
  }

  Dimension parse_integer(std::string_view rest) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc()) {
      fail_at("a number of at most 64 bits");
    }
    position_ += static_cast<std::size_t>(end - rest.data());
    return value;
  }

  void skip_spaces() {
    while (position_ < text_.size() && text_[position_] == ' ') {
      ++position_;
    }
  }

  bool at_end() {
    skip_spaces();
    return position_ == text_.size();
  }

  bool take(std::string_view token) {
    skip_spaces();
    const bool found = text_.substr(position_).starts_with(token);
    position_ += found ? token.size() : 0;
    return found;
  }

  [[noreturn]] void fail_at(std::string_view expected) const {
    fail<FormatError>("dimension: cannot read {} at character {}; expected {}", in_quotes(text_),
                      position_ + 1, expected);
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace

std::optional<std::int64_t> Bindings::find(std::string_view symbol) const {
  for (const auto& [name, value] : all_) {
    if (name == symbol) {
      return value;
    }
  }
  return std::nullopt;
}

void Bindings::set(std::string_view symbol, std::int64_t value) {
  for (auto& [name, old] : all_) {
    if (name == symbol) {
      old = value;
      return;
    }
  }
  all_.emplace_back(symbol, value);
}

Dimension::Dimension(std::int64_t value) : nodes_(1) {
  nodes_[0].value = value;
}

Dimension Dimension::symbol(std::string_view name) {
  check<ArgumentError>(is_symbol_name(name),
                       "dimension: not a symbol: {}; expected a letter or '_', then letters, "
                       "digits and '_', at most {} in all",
                       in_quotes(name), kMaxSymbolBytes);
  Dimension result;
  result.nodes_[0].kind = Kind::symbol;
  result.symbols_.emplace_back(name);
  return result;
}

Dimension Dimension::parse(std::string_view text) {
  try {
    return Parser(text).parse();
  } catch (const ArgumentError& error) {  // from combine: too large
    fail<FormatError>("{}", error.what());
  }
}

std::string Dimension::text() const {
  std::string out;
  print(nodes_.size() - 1, out);
  return out;
}

std::int64_t Dimension::evaluate(const Bindings& bindings) const {
  return evaluate(nodes_.size() - 1, bindings);
}

Dimension operator+(Dimension a, Dimension b) {
  return Dimension::combine(Dimension::Kind::add, std::move(a), std::move(b));
}

Dimension operator-(Dimension a, Dimension b) {
  return Dimension::combine(Dimension::Kind::subtract, std::move(a), std::move(b));
}

Dimension operator*(Dimension a, Dimension b) {
  return Dimension::combine(Dimension::Kind::multiply, std::move(a), std::move(b));
}

Dimension Dimension::floor_divide(Dimension a, Dimension b) {
  return combine(Kind::floor_divide, std::move(a), std::move(b));
}

Dimension Dimension::combine(Kind kind, Dimension a, Dimension b) {
  const std::size_t size = a.nodes_.size() + b.nodes_.size() + 1;
  const int depth = std::max(a.root().depth, b.root().depth) + 1;
  check<ArgumentError>(size <= kMaxNodes && depth <= kMaxDepth,
                       "dimension: the expression is too large: {} nodes in {} levels; the limits "
                       "are {} and {}",
                       size, depth, kMaxNodes, kMaxDepth);
  std::vector<std::int64_t> places;  // of b's symbols among a's
  for (std::string& symbol : b.symbols_) {
    const auto found = std::ranges::find(a.symbols_, symbol);
    places.push_back(found - a.symbols_.begin());
    if (found == a.symbols_.end()) {
      a.symbols_.push_back(std::move(symbol));
    }
  }
  for (Node& node : b.nodes_) {
    node.value =
        node.kind == Kind::symbol ? places[static_cast<std::size_t>(node.value)] : node.value;
    a.nodes_.push_back(node);
  }
  Node& node = a.nodes_.emplace_back();
  node.kind = kind;
  node.depth = static_cast<std::uint8_t>(depth);
  node.size = static_cast<std::uint16_t>(size);
  return a;
}

std::int64_t Dimension::evaluate(std::size_t node, const Bindings& bindings) const {
  const Node& at = nodes_[node];
  if (at.kind == Kind::constant) {
    return at.value;
  }
  if (at.kind == Kind::symbol) {
    const std::optional<std::int64_t> value = bindings.find(name_of(at));
    if (!value) {
      fail<ArgumentError>("dimension {}: the symbol '{}' has no size", in_quotes(text()),
                          name_of(at));
    }
    return *value;
  }
  const std::int64_t b = evaluate(node - 1, bindings);
  const std::int64_t a = evaluate(node - 1 - nodes_[node - 1].size, bindings);
  std::int64_t result = 0;
  if (!apply(at.kind, a, b, result)) {
    const char* fault =
        at.kind == Kind::floor_divide && b == 0 ? "divides by zero" : "does not fit into 64 bits";
    fail<ArgumentError>("dimension {}: {} {} {} {}", in_quotes(text()), a, operator_text(at.kind),
                        b, fault);
  }
  return result;
}

void Dimension::print(std::size_t node, std::string& out) const {
  const Node& at = nodes_[node];
  if (at.kind == Kind::constant) {
    out += std::to_string(at.value);
    return;
  }
  if (at.kind == Kind::symbol) {
    out += name_of(at);
    return;
  }
  // Operators of one level group to the left, so an equal one on the right needs parentheses.
  const auto print_operand = [&](std::size_t operand, int least) {
    const bool parentheses = precedence(nodes_[operand].kind) < least;
    out += parentheses ? "(" : "";
    print(operand, out);
    out += parentheses ? ")" : "";
  };
  const int level = precedence(at.kind);
  print_operand(node - 1 - nodes_[node - 1].size, level);
  out += operator_text(at.kind);
  print_operand(node - 1, level + 1);
}

}  // namespace rondo::serialize
