// How what a function does follows the sizes of its inputs: found by running it on other sizes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tracer/trace_recording.h"

namespace rondo::tracer {

/// The integers of a recording in a fixed order: those of operands and attributes of each node,
/// then the sizes of the results.
std::vector<std::int64_t> integers_of(const Recording& recording);

/// Every integer of a recording as an expression over the symbols, and the sizes for which that
/// holds.
///
/// Each symbol is moved alone by two steps, each two together, and all together: integers must be
/// sums of multiples of symbols and of products of two. Where steps of 1 fail, larger ones are
/// tried: then only sizes a multiple of the step apart are allowed. Small sizes, and ever larger
/// ones as long as runs are cheap, are tried last; where one fails or differs, sizes are bounded.
/// What is not allowed becomes a guard.
class SizeFit {
 public:
  /// Errors: ArgumentError with the line where no expression fits; what the function throws.
  SizeFit(const TraceRequest& request, const Recording& base, UnchangedTensors& unchanged);

  /// The expression of integer `i`.
  SizeText text(std::size_t i) const;
  const std::vector<TraceGuard>& guards() const { return guards_; }

 private:
  struct Symbol {
    std::string name;
    std::int64_t size = 0;  // in the examples
    std::int64_t step = 1;
    std::vector<std::int64_t> slopes;  // of each integer, for one step
  };
  /// How a run differs from what was expected.
  struct Difference {
    std::string source;
    std::string text;
  };
  using Moves = std::map<std::string, std::int64_t>;

  static bool whole_steps(const Symbol& symbol) { return symbol.size % symbol.step == 0; }
  Recording run(const Moves& moves) const;
  std::optional<Difference> compare(const Recording& other) const;
  /// `work` receives what the run did.
  std::optional<Difference> differs(const Moves& moves, double* work = nullptr) const;
  bool fit(Symbol& symbol, std::int64_t step, Difference& why) const;
  void fit_steps(Symbol& symbol);
  void fit_pairs();
  void bound_below(const Symbol& symbol);
  void bound_above(const Symbol& symbol);
  void search(const Symbol& symbol, std::int64_t bad, Difference why, const char* comparison);
  bool few_elements(const Symbol& symbol, std::int64_t size) const;
  std::int64_t expected(std::size_t i, const Moves& moves) const;

  const TraceRequest& request_;
  const Recording& base_;
  UnchangedTensors& unchanged_;
  std::vector<std::int64_t> integers_;  // of the base
  std::vector<Symbol> symbols_;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::int64_t>> products_;
  std::vector<TraceGuard> guards_;
};

}  // namespace rondo::tracer
