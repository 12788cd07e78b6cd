// Eager execution: each call is a plan of one op, lowered once for its dtypes and layout.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "core/op/executor.h"
#include "jit/plan.h"

namespace rondo::jit {

/// Belongs to one thread.
class EagerExecutor : public Executor {
 public:
  void execute(const OpCall& call) override;

 private:
  struct Entry {
    std::vector<std::uint64_t> key;
    std::vector<Attr> attrs;
    std::unique_ptr<Plan> plan;
  };

  Plan& plan_for(const OpCall& call);

  std::unordered_multimap<std::uint64_t, Entry> plans_;
};

}  // namespace rondo::jit
