// The one interface between ops and what runs them: eager execution, the recorder, a graph builder.
#pragma once

#include <span>

#include "core/op/op_info.h"

namespace rondo {

/// A call that has passed all checks. Outputs have their final metadata; their storages are empty,
/// or, in place, those of the first inputs.
struct OpCall {
  const OpInfo& op;
  std::span<const Tensor> inputs;
  std::span<const Attr> attrs;
  std::span<Tensor> outputs;
  bool in_place = false;

  OpArgs args() const { return {op, inputs, attrs}; }
};

class Executor {
 public:
  virtual ~Executor() = default;

  /// Fills the outputs, now or before anybody can see that they are empty.
  virtual void execute(const OpCall& call) = 0;

  /// Runs what is queued.
  virtual void flush() {}
};

/// The executor of this thread. Never null once the library has been initialised by jit.
Executor& current_executor();

/// Replaces the executor of this thread for a scope.
class ExecutorScope {
 public:
  explicit ExecutorScope(Executor& executor);
  ~ExecutorScope();
  ExecutorScope(const ExecutorScope&) = delete;
  ExecutorScope& operator=(const ExecutorScope&) = delete;

 private:
  Executor* previous_;
};

/// Registers how a thread without an executor gets its own.
void set_default_executor(Executor& (*factory)());

/// Sees every call of this thread, views included, after it was made: explicit tracing.
class CallObserver {
 public:
  virtual ~CallObserver() = default;
  virtual void called(const OpCall& call) = 0;
  /// A host read of a tensor's data is about to happen.
  virtual void host_read(const Tensor& tensor) = 0;
};
CallObserver*& current_observer();

}  // namespace rondo
