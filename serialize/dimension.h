// Dimension expressions: sizes such as `batch`, `28` or `2*seq+1` in signatures.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::serialize {

/// The sizes of symbols. A handful at most, so that looking through them is fastest.
class Bindings {
 public:
  std::optional<std::int64_t> find(std::string_view symbol) const;
  void set(std::string_view symbol, std::int64_t value);
  const std::vector<std::pair<std::string, std::int64_t>>& all() const { return all_; }

 private:
  std::vector<std::pair<std::string, std::int64_t>> all_;
};

/// An expression over symbols and integers: + - *, // (floor division) and parentheses.
///
/// Its text form has no spaces and no parentheses that precedence makes idle, and parses to an
/// equal expression. Arithmetic is 64-bit and checked.
class Dimension {
 public:
  enum class Kind : std::uint8_t { constant, symbol, add, subtract, multiply, floor_divide };

  static constexpr std::size_t kMaxNodes = 256;
  static constexpr int kMaxDepth = 32;
  static constexpr std::size_t kMaxSymbolBytes = 64;

  /// The constant 0.
  Dimension() : Dimension(0) {}
  Dimension(std::int64_t value);
  /// Errors: ArgumentError unless `name` is a letter or '_' followed by letters, digits and '_'.
  static Dimension symbol(std::string_view name);

  /// Errors: FormatError that says what was expected where.
  static Dimension parse(std::string_view text);
  std::string text() const;

  bool is_constant() const { return nodes_.size() == 1 && root().kind == Kind::constant; }
  bool is_symbol() const { return nodes_.size() == 1 && root().kind == Kind::symbol; }
  /// The value of a constant.
  std::int64_t constant() const { return root().value; }
  /// The name of a symbol.
  const std::string& symbol_name() const { return symbols_[0]; }
  /// Each symbol once, in order of appearance.
  const std::vector<std::string>& symbols() const { return symbols_; }

  /// The value with these sizes. Errors: ArgumentError for a symbol without a size, a division by
  /// zero or a result that does not fit into 64 bits.
  std::int64_t evaluate(const Bindings& bindings) const;

  /// Errors: ArgumentError if the result has more than kMaxNodes nodes or kMaxDepth levels.
  friend Dimension operator+(Dimension a, Dimension b);
  friend Dimension operator-(Dimension a, Dimension b);
  friend Dimension operator*(Dimension a, Dimension b);
  static Dimension floor_divide(Dimension a, Dimension b);

  /// True if both are written alike; `a+b` and `b+a` are not.
  bool operator==(const Dimension&) const = default;

 private:
  // In postfix order: the second operand of a node stands right before it.
  struct Node {
    Kind kind = Kind::constant;
    std::uint8_t depth = 1;
    std::uint16_t size = 1;  // nodes of the subtree
    std::int64_t value = 0;  // of a symbol: its place in symbols_

    bool operator==(const Node&) const = default;
  };

  const Node& root() const { return nodes_.back(); }
  static Dimension combine(Kind kind, Dimension a, Dimension b);
  std::int64_t evaluate(std::size_t node, const Bindings& bindings) const;
  void print(std::size_t node, std::string& out) const;

  const std::string& name_of(const Node& node) const {
    return symbols_[static_cast<std::size_t>(node.value)];
  }

  std::vector<Node> nodes_;
  std::vector<std::string> symbols_;
};

}  // namespace rondo::serialize
