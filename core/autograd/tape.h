// The tape: nodes that remember how a tensor was computed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/base/call_site.h"
#include "core/base/pool_allocator.h"
#include "core/op/call.h"
#include "core/op/gradient.h"

namespace rondo {

class GradNode;

/// Where a gradient flows to: a result of a node, or a leaf; neither if the tensor needs none.
struct GradEdge {
  Ref<GradNode> node;
  int output = 0;
  Tensor leaf;
  explicit operator bool() const { return static_cast<bool>(node) || leaf.defined(); }
};

/// A tensor kept for the backward pass, with the version that it had.
class SavedTensor {
 public:
  SavedTensor() = default;
  /// `own_output`: a result of the node that saves it, kept without its history to avoid a cycle.
  SavedTensor(const Tensor& tensor, bool own_output);
  /// Errors: ArgumentError if the tensor was modified in place since.
  Tensor unpack(const Ref<GradNode>& node, int output) const;
  /// The call that saved it has also overwritten it: unpacking is an error.
  void mark_overwritten() { --version_; }

 private:
  Tensor tensor_;
  std::uint32_t version_ = 0;
  bool own_output_ = false;
};

using GradHook = std::function<Tensor(const Tensor&)>;

/// One recorded call.
class GradNode : public RefCounted {
 public:
  const OpInfo* op = nullptr;
  std::vector<Attr> attrs;
  PoolVector<SavedTensor> inputs;
  PoolVector<SavedTensor> outputs;
  PoolVector<InputMeta> input_metas;
  PoolVector<Meta> output_metas;
  PoolVector<GradEdge> next;                 // one for each input
  std::vector<std::vector<GradHook>> hooks;  // for each output, when there are any
  std::uint64_t sequence = 0;
  CallSite site;  // where the op was called
  bool released = false;

  GradNode() = default;
  virtual ~GradNode();
  /// Gradients of the inputs. Errors: ArgumentError if the saved tensors have been released.
  virtual std::vector<Gradient> apply(std::span<const Tensor> grads);
  virtual void release_saved();

 protected:
  void check_not_released() const;
};

/// What autograd keeps with a tensor.
class TensorGrad : public AutogradMeta {
 public:
  Tensor grad;
  Ref<GradNode> node;  // null for a leaf
  int output = 0;
  std::vector<GradHook> hooks;  // of a leaf
  bool retains_grad = false;
  Tensor base;                     // of a view: the tensor whose storage it shares
  std::uint32_t base_version = 0;  // the storage's version that `node` belongs to
};

TensorGrad* grad_meta(const Tensor& tensor);
TensorGrad& ensure_grad_meta(const Tensor& tensor);

/// Where the gradient of `tensor` flows to; renews the history of a view whose base was written
/// since.
GradEdge edge_of(const Tensor& tensor);

/// Makes `outputs` the results of a node of the caller's own, through which gradients flow to
/// `inputs`. Its op names it in texts.
void record_node(const Ref<GradNode>& node, std::span<const Tensor> inputs,
                 std::span<const Tensor> outputs);

/// Makes a leaf require gradients, or not. Errors: DtypeError unless floating, ArgumentError for a
/// non-leaf.
void set_requires_grad(const Tensor& tensor, bool requires_grad);

/// The same data without history.
Tensor detach(const Tensor& tensor);

/// Calls `hook` with the gradient when it is computed; what it returns (if defined) replaces it.
void add_grad_hook(const Tensor& tensor, GradHook hook);

/// Sets the hooks of core/op that record; the first call does it.
void register_autograd();

}  // namespace rondo
