// Pass: gives every axis a symbol for its size, and makes those equal that the ops demand to be
// equal.
#pragma once

#include <array>
#include <vector>

#include "core/graph/flow.h"

namespace rondo::codegen {

/// The size 1, and a size that nothing is known of. Other symbols are positive; equal ones are
/// equal sizes, different ones may be.
inline constexpr int kOne = 0;
inline constexpr int kUnknown = -1;

using Symbols = std::array<int, kMaxRank>;

class SymbolTable {
 public:
  /// Keeps a reference to the flow.
  explicit SymbolTable(const Flow& flow);

  /// The symbol of each axis of a value, none of them unknown.
  Symbols of_value(int value) const;

  /// The symbol of each axis of a use. Unknown are the axes of an opaque view, and expanded ones.
  Symbols of_use(const FlowUse& use) const;

 private:
  int fresh();
  int find(int symbol) const;
  int unify(int a, int b);
  void fill_fresh(int value);
  void infer(const FlowNode& node);
  void infer_elementwise(const FlowNode& node);
  void infer_reduction(const FlowNode& node);
  void infer_matmul(const FlowNode& node);

  const Flow& flow_;
  std::vector<int> parent_;  // of each symbol, the root of a set of equal ones being its own
  std::vector<Symbols> values_;
};

/// The axes that a reduction node removes (a mask over its input), found without sizes.
std::uint32_t reduced_axes(const FlowNode& node);

}  // namespace rondo::codegen
