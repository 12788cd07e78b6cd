// What one run of a program may cost: for archives from strangers.
#pragma once

#include <limits>

#include "core/op/executor.h"

namespace rondo::jit {

/// Counts elements that ops read or write, and multiplications of products.
struct RunLimits {
  double work = std::numeric_limits<double>::infinity();
};

/// While it lives, calls of this thread are counted, and refused before they run once the limit is
/// exceeded. Errors of calls: UnsupportedError that names the op and both figures.
class WorkGuard final : public Executor {
 public:
  explicit WorkGuard(const RunLimits& limits);

  void execute(const OpCall& call) override;
  void flush() override { inner_.flush(); }

 private:
  double left_;
  double all_;
  Executor& inner_;
  ExecutorScope scope_;
};

/// How much work a call is, at most by a small factor.
double work_of(const OpCall& call);

}  // namespace rondo::jit
