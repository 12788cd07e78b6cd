// Finds repeats in a stream of tokens as they come.
#pragma once

#include <cstdint>
#include <vector>

namespace rondo::tracer {

/// Prefix hashes (polynomial, modulo 2^61 - 1, with a base of the process's own) in a ring, and a
/// table from the last few tokens to where they were last seen. A tandem repeat of period d is
/// found in constant time.
class RepeatFinder {
 public:
  RepeatFinder();

  /// Adds a token. Returns the period if the stream has just ended its `occurrences`-th repetition
  /// of one (or any later one), else 0.
  std::uint64_t push(std::uint64_t token);

  std::uint64_t size() const { return count_; }
  /// The token `back` places before the end (1: the last one). 0 if it is forgotten.
  std::uint64_t recent(std::uint64_t back) const;
  /// A hash of the last `period` tokens that is the same for all rotations of them.
  std::uint64_t rotation_hash(std::uint64_t period) const;

 private:
  struct Seen {
    std::uint64_t gram = 0;
    std::uint64_t place = 0;
  };
  std::uint64_t hash(std::uint64_t from, std::uint64_t to) const;
  bool repeats(std::uint64_t period) const;

  std::uint64_t base_;
  std::vector<std::uint64_t> tokens_;
  std::vector<std::uint64_t> prefix_;
  std::vector<std::uint64_t> sums_;  // of mixed tokens, so far
  std::vector<std::uint64_t> powers_;
  std::vector<Seen> seen_;
  std::uint64_t count_ = 0;
};

}  // namespace rondo::tracer
