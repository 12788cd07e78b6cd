#include "jit/stats.h"

#include <map>
#include <mutex>
#include <utility>

#include "core/op/op_info.h"

namespace rondo::jit {
namespace {

struct Counts {
  std::mutex mutex;
  std::map<std::pair<std::string, FallbackReason>, std::uint64_t> calls;
};

/// Leaked on purpose: threads may outlive static destruction.
Counts& counts() {
  static Counts* const instance = new Counts;
  return *instance;
}

}  // namespace

void count_fallback(const OpInfo& op, FallbackReason reason) {
  const std::lock_guard lock(counts().mutex);
  ++counts().calls[{std::string(op.name), reason}];
}

std::vector<FallbackRow> fallbacks() {
  const std::lock_guard lock(counts().mutex);
  std::vector<FallbackRow> rows;
  for (const auto& [key, calls] : counts().calls) {
    rows.push_back({key.first, key.second, calls});
  }
  return rows;
}

}  // namespace rondo::jit
