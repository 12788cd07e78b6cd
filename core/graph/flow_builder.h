// Builds a Flow from calls, by the identity of their storages.
#pragma once

#include <unordered_map>
#include <vector>

#include "core/graph/flow.h"
#include "core/op/executor.h"

namespace rondo {

class FlowBuilder {
 public:
  /// Appends a call. Immediates are values of their own at each place where they stand.
  /// `call_number`: how the caller will find the tensors of this call at run time.
  void append(const OpCall& call, int call_number);

  /// Makes a tensor that is made of `value` known, so that calls can use it (a composite's
  /// operands).
  void define(const Tensor& tensor, int value);

  /// The value that a tensor's storage holds now, and how the tensor sees it; adds an external
  /// value for an unknown one, to be found at (call, slot).
  FlowUse use(const Tensor& tensor, int call, int slot);

  /// Takes what has been built. Nothing is marked live.
  Flow take();
  Flow& flow() { return flow_; }

 private:
  struct Geometry {
    Shape shape;
    Shape strides;
    std::int64_t offset = 0;
    int value = -1;
  };
  /// What is known about a storage: its values (several views of an external one), the latest if
  /// produced.
  struct Group {
    int number = -1;
    bool produced = false;
    std::vector<Geometry> views;
  };

  int add_value(const FlowValue& value);
  Group& group_of(const Tensor& tensor);
  /// A composite's body cannot see an opaque view: it becomes a value of its own.
  void name_opaque_view(FlowUse& use, const Tensor& tensor, int call, int slot);
  FlowUse use_immediate(const Tensor& tensor, int call, int slot);

  Flow flow_;
  std::unordered_map<std::uint64_t, Group> groups_;
  std::unordered_map<const TensorImpl*, int> immediates_;
  bool inside_body_ = false;
  friend class BodyExecutor;
};

/// Runs a composite's body on tensors without data, appending its calls to a builder. The builder
/// is one for this body: it takes all that follows for a part of it.
class BodyExecutor : public Executor {
 public:
  BodyExecutor(FlowBuilder& builder, int call) : builder_(builder), call_(call) {
    builder_.inside_body_ = true;
  }
  void execute(const OpCall& call) override { builder_.append(call, call_); }

 private:
  FlowBuilder& builder_;
  int call_;
};

}  // namespace rondo
