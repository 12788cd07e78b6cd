// A session runs the methods of a module and holds what changes: tensors of its own, random
// numbers.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/op/generator.h"
#include "jit/limits.h"
#include "jit/module.h"
#include "serialize/sink.h"

namespace rondo::jit {

struct RunOptions {
  serialize::Mode mode = serialize::Mode::eval;
  /// Compute the results before `run` returns, and ask between kernels as well whether to go on.
  bool finish = false;
  /// When the run ends at the latest (by its next kernel).
  std::optional<std::chrono::steady_clock::time_point> deadline{};
  /// True if nobody waits for the results any more; asked by the thread that runs.
  std::function<bool()> abandoned{};
  RunLimits limits{};
};

/// Runs a module's methods on one thread at a time: what is called while another thread runs the
/// session is an ArgumentError, but for `cancel`, `set_seed` and `generator`. Sessions of one
/// module share its tensors, but for those that a session has made its own: buffers that a method
/// writes, when it first does, and on request whatever can be trained.
class Session {
 public:
  explicit Session(std::shared_ptr<const Module> module);

  /// Checks the inputs against the signature and runs. Calls are recorded for a backward pass where
  /// inputs or the session's parameters require gradients, unless the thread has turned that off.
  /// Errors: ArgumentError, DtypeError, ShapeError that name the input or a guard; ArgumentError if
  /// the session is in use by another thread; CancelledError if the run is ended from outside,
  /// DeadlineError if it is late: buffers that the method writes may then hold some of what it
  /// would have written; UnsupportedError if the run exceeds the limits.
  std::vector<Tensor> run(std::string_view method, const std::vector<Tensor>& inputs,
                          const RunOptions& options = {});

  /// Ends the run that is under way, if one is, with a CancelledError. From any thread.
  void cancel() { cancelled_ = true; }

  /// Starts the random numbers that belong to a seed. Each session begins with seed 0 and draws
  /// from a generator of its own.
  void set_seed(std::int64_t seed) { generator_.seed(seed); }
  Generator& generator() { return generator_; }

  /// Makes the parameters that were trainable when they were saved leaves that require gradients,
  /// with memory of the session's own, and buffers that methods write its own too.
  void make_trainable();
  bool trainable() const { return trainable_; }
  /// The trainable parameters, in the order of the manifest; none before `make_trainable`.
  std::vector<Tensor> parameters() const;
  /// Adds to the gradients of what an output of one element was computed from.
  /// Errors: ArgumentError.
  void backward(const Tensor& output);
  /// Forgets the parameters' gradients.
  void zero_grad();

  /// The session's tensor of a name or alias. Undefined if there is none.
  Tensor tensor(const std::string& name) const;
  /// Copies values into a tensor, which becomes the session's own if it was not.
  /// Errors: ArgumentError for an unknown name, ShapeError, DtypeError.
  void set_tensor(const std::string& name, const Tensor& value);

  /// Writes the archive with the session's tensors; golden cases get the outputs that they give.
  /// Errors: IoError.
  void save(serialize::Sink& sink) const;

  const Module& module() const { return *module_; }

 private:
  /// Marks the session as in use for a scope. Errors: ArgumentError if it is already.
  class InUse {
   public:
    InUse(const Session& session, const char* operation);
    ~InUse() { flag_.clear(); }
    InUse(const InUse&) = delete;
    InUse& operator=(const InUse&) = delete;

   private:
    std::atomic_flag& flag_;
  };
  class RunInterrupt;

  std::vector<Tensor> trainable_tensors() const;
  void make_own(std::size_t number);
  void add_golden_outputs(std::unordered_map<std::string, Tensor>& outputs) const;

  std::shared_ptr<const Module> module_;
  std::vector<Tensor> tensors_;  // by number
  std::vector<bool> own_;
  Generator generator_;
  bool trainable_ = false;
  std::atomic<bool> cancelled_{false};
  mutable std::atomic_flag in_use_ = ATOMIC_FLAG_INIT;
};

}  // namespace rondo::jit
