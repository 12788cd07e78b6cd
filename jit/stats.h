// Counts of what ran where, for explain.
#pragma once

#include <atomic>
#include <cstdint>

namespace rondo::jit {

/// Ops of the calls that have run, by how. An op counts once for each time that it ran.
struct OpCounts {
  std::atomic<std::uint64_t> compiled{0};     // in kernels that LLVM compiled
  std::atomic<std::uint64_t> interpreted{0};  // in kernels of the interpreter
  std::atomic<std::uint64_t> library{0};      // products and convolutions
  std::atomic<std::uint64_t> functions{0};    // functions on memory: gather, sort, pooling
};

inline OpCounts& op_counts() {
  static OpCounts counts;
  return counts;
}

}  // namespace rondo::jit
