#include "core/autograd/backward.h"

#include <algorithm>
#include <atomic>

#include "core/autograd/gradient_sum.h"
#include "core/autograd/tape.h"
#include "core/autograd/transfer.h"
#include "core/base/error.h"
#include "core/op/device_scope.h"
#include "core/ops/arithmetic.h"
#include "core/ops/create.h"
#include "core/ops/reduce.h"

namespace rondo {
namespace {

std::atomic<void (*)()> node_check{nullptr};

/// A node that gradients have reached but that has not run.
struct Pending {
  Ref<GradNode> node;
  PoolVector<GradientSum> grads;

  /// Where the gradients of the node's results are.
  Device device() const {
    for (const GradientSum& sum : grads) {
      if (const Device found = sum.device(); found != Device{}) {
        return found;
      }
    }
    return {};
  }
};

struct LeafGrad {
  Tensor leaf;
  GradientSum sum;
  Tensor grad;  // once all is summed
};

/// A non-leaf whose gradient is asked for.
struct Capture {
  GradNode* node;
  int output;
  std::size_t input;
};

void accumulate(Tensor& into, const Tensor& grad) {
  into = into.defined() ? into + grad : grad;
}

Tensor run_hooks(const std::vector<GradHook>& hooks, Tensor grad) {
  for (const GradHook& hook : hooks) {
    const Tensor replaced = hook(grad);
    if (replaced.defined()) {
      grad = replaced;
    }
  }
  return grad;
}

class Pass {
 public:
  Pass(const BackwardOptions& options, std::vector<Capture> captures, std::size_t captured)
      : keep_(options.retain_graph || options.create_graph),
        captures_(std::move(captures)),
        captured_(captured) {}

  void flow(const GradEdge& edge, const Gradient& grad) {
    if (edge.leaf.defined()) {
      auto found = std::find_if(leaves_.begin(), leaves_.end(),
                                [&](const LeafGrad& l) { return l.leaf.is_same(edge.leaf); });
      if (found == leaves_.end()) {
        leaves_.push_back({edge.leaf, {}, {}});
        found = leaves_.end() - 1;
      }
      found->sum.add(grad);
      return;
    }
    auto found = std::find_if(pending_.begin(), pending_.end(),
                              [&](const Pending& p) { return p.node == edge.node; });
    if (found == pending_.end()) {
      pending_.push_back({edge.node, PoolVector<GradientSum>(edge.node->output_metas.size())});
      found = pending_.end() - 1;
    }
    found->grads[static_cast<std::size_t>(edge.output)].add(grad);
  }

  void run() {
    void (*const check_between_nodes)() = node_check.load(std::memory_order_relaxed);
    while (!pending_.empty()) {
      if (check_between_nodes != nullptr) {
        check_between_nodes();
      }
      // The latest node first: everything that feeds gradients into it was recorded after it.
      const auto last = std::max_element(
          pending_.begin(), pending_.end(),
          [](const Pending& a, const Pending& b) { return a.node->sequence < b.node->sequence; });
      Pending next = std::move(*last);
      pending_.erase(last);
      step(next);
    }
    for (LeafGrad& leaf : leaves_) {
      const DeviceScope scope(leaf.leaf.device());
      leaf.grad = leaf.sum.take({leaf.leaf.shape(), leaf.leaf.dtype()});
      const TensorGrad* meta = grad_meta(leaf.leaf);
      if (meta != nullptr && !meta->hooks.empty()) {
        leaf.grad = run_hooks(meta->hooks, leaf.grad);
      }
    }
  }

  const std::vector<LeafGrad>& leaves() const { return leaves_; }
  const std::vector<Tensor>& captured() const { return captured_; }

 private:
  void step(Pending& next) {
    GradNode& node = *next.node;
    const DeviceScope scope(next.device());
    PoolVector<Tensor> grads;
    grads.reserve(next.grads.size());
    for (std::size_t i = 0; i < next.grads.size(); ++i) {
      grads.push_back(next.grads[i].take(node.output_metas[i]));
    }
    for (std::size_t i = 0; i < node.hooks.size(); ++i) {
      if (grads[i].defined()) {
        grads[i] = run_hooks(node.hooks[i], grads[i]);
      }
    }
    for (const Capture& capture : captures_) {
      if (capture.node == &node) {
        captured_[capture.input] = grads[static_cast<std::size_t>(capture.output)];
      }
    }
    if (grads.size() == 1 && !grads[0].defined()) {
      return;
    }
    std::vector<Gradient> results = node.apply(grads);
    for (std::size_t i = 0; i < node.next.size(); ++i) {
      Gradient& result = results[i];
      if (node.next[i] && result.tensor.defined()) {
        const InputMeta& meta = node.input_metas[i];
        result.tensor = result.dim < 0 ? sum_to(result.tensor, meta.shape) : result.tensor;
        result.tensor = move_to(to_dtype(result.tensor, meta.dtype), meta.device);
        flow(node.next[i], result);
      }
    }
    if (!keep_) {
      node.release_saved();
    }
  }

  bool keep_;
  std::vector<Capture> captures_;
  std::vector<Tensor> captured_;
  std::vector<Pending> pending_;
  std::vector<LeafGrad> leaves_;
};

void start(Pass& pass, std::span<const Tensor> outputs, std::span<const Tensor> grads) {
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Tensor& output = outputs[i];
    check<ArgumentError>(
        output.requires_grad(),
        "backward: output {} does not require gradients; nothing it depends on does", i);
    Tensor grad = i < grads.size() ? grads[i] : Tensor();
    if (!grad.defined()) {
      check<ArgumentError>(
          output.numel() == 1,
          "backward: output {} has shape {}; give its gradient, or reduce it to one "
          "element",
          i, output.shape());
      const DeviceScope scope(output.device());
      grad = ones(output.shape(), output.dtype());
    }
    check<ShapeError>(grad.shape() == output.shape(),
                      "backward: output {} has shape {}, its gradient {}; they must be equal", i,
                      output.shape(), grad.shape());
    check<DeviceError>(grad.device() == output.device(),
                       "backward: output {} is on {}, its gradient on {}; they must be equal", i,
                       output.device().str(), grad.device().str());
    pass.flow(edge_of(output), {grad});
  }
}

}  // namespace

void backward(std::span<const Tensor> outputs, std::span<const Tensor> grads,
              const BackwardOptions& options) {
  const GradMode mode(options.create_graph);
  Pass pass(options, {}, 0);
  start(pass, outputs, grads);
  pass.run();
  for (const LeafGrad& leaf : pass.leaves()) {
    accumulate(ensure_grad_meta(leaf.leaf).grad, leaf.grad);
  }
}

std::vector<Tensor> gradients(std::span<const Tensor> outputs, std::span<const Tensor> inputs,
                              std::span<const Tensor> grads, const BackwardOptions& options,
                              bool allow_unused) {
  const GradMode mode(options.create_graph);
  std::vector<Capture> captures;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    check<ArgumentError>(inputs[i].requires_grad(),
                         "grad: input {} does not require gradients; set requires_grad first", i);
    const GradEdge edge = edge_of(inputs[i]);
    if (edge.node) {
      captures.push_back({edge.node.get(), edge.output, i});
    }
  }
  Pass pass(options, std::move(captures), inputs.size());
  start(pass, outputs, grads);
  pass.run();
  std::vector<Tensor> results = pass.captured();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    for (const LeafGrad& leaf : pass.leaves()) {
      if (leaf.leaf.is_same(inputs[i])) {
        results[i] = leaf.grad;
      }
    }
    check<ArgumentError>(
        allow_unused || results[i].defined(),
        "grad: input {} is not used by the outputs; pass allow_unused=True to get None", i);
  }
  return results;
}

void set_interrupt_check(void (*check)()) {
  node_check.store(check, std::memory_order_relaxed);
}

}  // namespace rondo
