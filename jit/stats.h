// Counts of what ran where, for explain.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "core/graph/fallback.h"

namespace rondo {
struct OpInfo;
}

namespace rondo::jit {

/// Ops of the calls that have run, by how. An op counts once for each time that it ran.
struct OpCounts {
  std::atomic<std::uint64_t> compiled{0};     // in kernels that LLVM compiled
  std::atomic<std::uint64_t> interpreted{0};  // in kernels of the interpreter
  std::atomic<std::uint64_t> library{0};      // products and convolutions
  std::atomic<std::uint64_t> functions{0};    // functions on memory: gather, sort, pooling
  std::atomic<std::uint64_t> on_devices{0};   // in kernels that devices ran
};

inline OpCounts& op_counts() {
  static OpCounts counts;
  return counts;
}

/// Calls of an op that did not run where or how they should have.
struct FallbackRow {
  std::string op;
  FallbackReason reason = FallbackReason::product_on_host;
  std::uint64_t calls = 0;
};

/// From any thread.
void count_fallback(const OpInfo& op, FallbackReason reason);

/// By op and reason.
std::vector<FallbackRow> fallbacks();

}  // namespace rondo::jit
