#include "core/autograd/tape.h"

#include <algorithm>
#include <atomic>

#include "core/base/error.h"
#include "core/ops/create.h"
#include "core/ops/reshape.h"
#include "core/ops/scatter.h"

namespace rondo {
namespace {

std::uint64_t next_sequence() {
  static std::atomic<std::uint64_t> counter{1};
  return counter.fetch_add(1, std::memory_order_relaxed);
}

std::uint32_t version_of(const Tensor& tensor) {
  return tensor.is_immediate() ? 0 : tensor.storage()->version();
}

/// True if the gradient can ask for saved operand `i`: some operand that it serves requires one.
bool worth_saving(const OpCall& call, int i) {
  if (!call.op.saves_input(i)) {
    return false;
  }
  const std::uint32_t users = call.op.save_users[static_cast<std::size_t>(i)];
  for (std::size_t j = 0; j < call.inputs.size(); ++j) {
    const Tensor& input = call.inputs[j];
    if (((users >> std::min<std::size_t>(j, 31)) & 1U) != 0 && input.defined() &&
        input.requires_grad()) {
      return true;
    }
  }
  return false;
}

/// Operand `i` is the tensor that the call writes in place.
bool is_target(const OpCall& call, int i) {
  return call.in_place && call.inputs[static_cast<std::size_t>(i)].is_same(call.inputs[0]);
}

/// `original`: the target of a call in place as it was before, if that is needed.
void save_all(const OpCall& call, const Tensor& original, GradNode& node) {
  const auto count = static_cast<int>(call.inputs.size());
  node.inputs.resize(call.inputs.size());
  for (int i = 0; i < count; ++i) {
    const Tensor& input = call.inputs[static_cast<std::size_t>(i)];
    if (!input.defined() || !worth_saving(call, i)) {
      continue;
    }
    if (original.defined() && is_target(call, i)) {
      node.inputs[static_cast<std::size_t>(i)] = SavedTensor(original, false);
    } else {
      node.inputs[static_cast<std::size_t>(i)] = SavedTensor(input, false);
      if (call.in_place && !input.is_immediate() && input.storage() == call.outputs[0].storage()) {
        node.inputs[static_cast<std::size_t>(i)].mark_overwritten();
      }
    }
  }
  node.outputs.resize(call.outputs.size());
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    if (call.op.saves_output(static_cast<int>(i))) {
      node.outputs[i] = SavedTensor(call.outputs[i], true);
    }
  }
}

InputMeta meta_of(const Tensor& input) {
  if (!input.defined()) {
    return {};
  }
  const int rank = input.rank();
  const bool transposed = rank > 1 && input.shape()[rank - 2] > 1 && input.shape()[rank - 1] > 1 &&
                          input.strides()[rank - 2] < input.strides()[rank - 1];
  return {{input.shape(), input.dtype()}, transposed, input.device()};
}

void connect(GradNode& node, std::span<const Tensor> inputs, std::span<const Tensor> outputs) {
  node.sequence = next_sequence();
  node.site = current_call_site();
  node.input_metas.reserve(inputs.size());
  node.next.reserve(inputs.size());
  for (const Tensor& input : inputs) {
    node.input_metas.push_back(meta_of(input));
    node.next.push_back(input.defined() && input.requires_grad() ? edge_of(input) : GradEdge{});
  }
  node.output_metas.reserve(outputs.size());
  for (const Tensor& output : outputs) {
    node.output_metas.push_back({output.shape(), output.dtype()});
  }
}

Ref<GradNode> make_node(const OpCall& call) {
  Ref<GradNode> node(new GradNode);
  node->op = &call.op;
  node->attrs.assign(call.attrs.begin(), call.attrs.end());
  connect(*node, call.inputs, call.outputs);
  return node;
}

void set_history(const Tensor& tensor, const Ref<GradNode>& node, int output) {
  TensorGrad& meta = ensure_grad_meta(tensor);
  meta.node = node;
  meta.output = output;
  tensor.impl()->requires_grad = true;
  if (meta.base.defined()) {
    meta.base_version = version_of(tensor);
  }
}

/// A node of `op`, as_strided or as_strided_scatter, about the elements of `base` that `view` sees.
Ref<GradNode> make_strided_node(const OpInfo& op, const Tensor& view, const Tensor& base) {
  Ref<GradNode> node(new GradNode);
  node->op = &op;
  node->attrs = {Attr(Ints(view.shape().begin(), view.shape().end())),
                 Attr(Ints(view.strides().begin(), view.strides().end())),
                 Attr(view.offset() - base.offset())};
  node->sequence = next_sequence();
  node->outputs.resize(1);
  return node;
}

/// After an in-place write to a view: its base is now the old base with the view's part replaced.
void rebase(const Tensor& view, const GradEdge& old_base) {
  const Tensor base = grad_meta(view)->base;
  check<UnsupportedError>(
      base.is_contiguous(),
      "in-place: a view of a tensor with strides {} is written; gradients need a "
      "contiguous base",
      base.strides());
  const Ref<GradNode> node = make_strided_node(info<AsStridedScatter>(), view, base);
  node->inputs.resize(2);
  node->input_metas = {meta_of(base), meta_of(view)};
  node->output_metas = {{base.shape(), base.dtype()}};
  node->next = {old_base, edge_of(view)};
  set_history(base, node, 0);
}

void record_in_place(const OpCall& call, const Tensor& original) {
  const Tensor& target = call.outputs[0];
  const std::uint32_t version = version_of(target);
  const TensorGrad* meta = grad_meta(target);
  const bool view = meta != nullptr && meta->base.defined();
  const GradEdge base = view && meta->base.requires_grad() ? edge_of(meta->base) : GradEdge{};
  const Ref<GradNode> node = make_node(call);
  save_all(call, original,
           *node);  // asks which operands require gradients: the results do from then on
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    set_history(call.outputs[i], node, static_cast<int>(i));
  }
  if (view) {
    grad_meta(target)->base_version = version;
    rebase(target, base);
  }
}

void record(const OpCall& call, const Tensor& original) {
  if (call.in_place) {
    record_in_place(call, original);
    return;
  }
  const Ref<GradNode> node = make_node(call);
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    if (is_floating(call.outputs[i].dtype())) {
      set_history(call.outputs[i], node, static_cast<int>(i));
    }
  }
  save_all(call, {}, *node);
}

void record_view(const OpCall& call) {
  const Tensor& source = call.inputs[0];
  const Tensor& view = call.outputs[0];
  if (view.storage() == source.storage()) {
    TensorGrad& meta = ensure_grad_meta(view);
    const TensorGrad* parent = grad_meta(source);
    meta.base = parent != nullptr && parent->base.defined() ? parent->base : source;
    meta.base_version = version_of(view);
  }
  if (source.requires_grad()) {
    record(call, {});
  }
}

bool is_tracked_leaf(const Tensor& tensor) {
  const TensorGrad* meta = grad_meta(tensor);
  return tensor.requires_grad() && (meta == nullptr || !meta->node);
}

/// The target as it was, with its history, if a saved operand is what the call overwrites.
Tensor original_of(const OpCall& call) {
  for (int i = 0; i < static_cast<int>(call.inputs.size()); ++i) {
    if (is_target(call, i) && worth_saving(call, i)) {
      return clone(call.inputs[0]);
    }
  }
  return {};
}

Tensor before_in_place(const OpCall& call, bool records) {
  if (!grad_enabled()) {
    return {};
  }
  for (const Tensor& target : call.inputs.first(call.outputs.size())) {
    const TensorGrad* meta = grad_meta(target);
    const bool view = meta != nullptr && meta->base.defined();
    check<ArgumentError>(
        !is_tracked_leaf(view ? meta->base : target),
        "{}{}: a leaf that requires gradients is written in place; use no_grad or a "
        "copy made with clone()",
        call.op.name, call.op.in_place ? "" : "_");
  }
  return records ? original_of(call) : Tensor();
}

/// Where a saved tensor was written and where it had been saved, if both are known.
std::string places(const GradNode& node, const Tensor& tensor) {
  const CallSite& writer = tensor.storage()->writer();
  return node.site && writer ? " at " + describe(writer) + ", after the call at " +
                                   describe(node.site) + " had saved it"
                             : std::string();
}

}  // namespace

SavedTensor::SavedTensor(const Tensor& tensor, bool own_output)
    : tensor_(own_output ? detach(tensor) : tensor),
      version_(version_of(tensor)),
      own_output_(own_output) {}

Tensor SavedTensor::unpack(const Ref<GradNode>& node, int output) const {
  if (!tensor_.defined()) {
    return {};
  }
  const std::uint32_t version = version_of(tensor_);
  if (version != version_) {
    fail<ArgumentError>(
        "{}: a tensor of shape {} that its gradient needs was modified in place{}: it is at "
        "version {}; version {} is required",
        node->op->name, tensor_.shape(), places(*node, tensor_), version, version_);
  }
  if (!own_output_) {
    return tensor_;
  }
  const Tensor alias = detach(tensor_);
  if (grad_enabled()) {
    set_history(alias, node, output);
  }
  return alias;
}

GradNode::~GradNode() {
  // Long chains are taken apart in a loop, so that they do not exhaust the stack.
  thread_local PoolVector<GradEdge>* pending = nullptr;
  if (pending != nullptr) {
    for (GradEdge& edge : next) {
      pending->push_back(std::move(edge));
    }
    return;
  }
  PoolVector<GradEdge> edges;
  pending = &edges;
  for (GradEdge& edge : next) {
    edges.push_back(std::move(edge));
  }
  inputs.clear();
  while (!edges.empty()) {
    const GradEdge edge = std::move(edges.back());
    edges.pop_back();
  }
  pending = nullptr;
}

void GradNode::check_not_released() const {
  check<ArgumentError>(
      !released,
      "backward: the graph of {} has been used and released; pass retain_graph=True to "
      "the first backward to use it again",
      op->name);
}

std::vector<Gradient> GradNode::apply(std::span<const Tensor> grads) {
  check_not_released();
  const Ref<GradNode> self(this);
  PoolVector<Tensor> saved_inputs;
  PoolVector<Tensor> saved_outputs;
  saved_inputs.reserve(inputs.size());
  saved_outputs.reserve(outputs.size());
  for (const SavedTensor& saved : inputs) {
    saved_inputs.push_back(saved.unpack(self, 0));
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    saved_outputs.push_back(outputs[i].unpack(self, static_cast<int>(i)));
  }
  std::uint64_t needs = 0;
  for (std::size_t i = 0; i < next.size(); ++i) {
    needs |= next[i] ? std::uint64_t{1} << std::min<std::size_t>(i, kNeedsBits - 1) : 0;
  }
  GradContext context(*op, saved_inputs, saved_outputs, grads, attrs, input_metas, needs);
  op->gradient(context);
  return std::move(context.results());
}

void GradNode::release_saved() {
  inputs.clear();
  outputs.clear();
  released = true;
}

TensorGrad* grad_meta(const Tensor& tensor) {
  return static_cast<TensorGrad*>(tensor.impl()->autograd.get());
}

TensorGrad& ensure_grad_meta(const Tensor& tensor) {
  if (!tensor.impl()->autograd) {
    tensor.impl()->autograd = std::make_unique<TensorGrad>();
  }
  return *grad_meta(tensor);
}

GradEdge edge_of(const Tensor& tensor) {
  TensorGrad* meta = grad_meta(tensor);
  if (meta != nullptr && meta->base.defined() && meta->base_version != version_of(tensor) &&
      meta->base.requires_grad()) {
    const Ref<GradNode> node = make_strided_node(info<AsStrided>(), tensor, meta->base);
    node->inputs.resize(1);
    node->input_metas = {meta_of(meta->base)};
    node->output_metas = {{tensor.shape(), tensor.dtype()}};
    node->next = {edge_of(meta->base)};
    set_history(tensor, node, 0);
  }
  if (meta != nullptr && meta->node) {
    return {meta->node, meta->output, {}};
  }
  return {nullptr, 0, tensor};
}

void record_node(const Ref<GradNode>& node, std::span<const Tensor> inputs,
                 std::span<const Tensor> outputs) {
  connect(*node, inputs, outputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    set_history(outputs[i], node, static_cast<int>(i));
  }
}

void set_requires_grad(const Tensor& tensor, bool requires_grad) {
  check<DtypeError>(!requires_grad || is_floating(tensor.dtype()),
                    "requires_grad: the tensor is {}; only floating dtypes have gradients",
                    dtype_name(tensor.dtype()));
  const TensorGrad* meta = grad_meta(tensor);
  check<ArgumentError>(requires_grad || meta == nullptr || !meta->node,
                       "requires_grad: only a leaf can stop requiring gradients; use detach()");
  tensor.impl()->requires_grad = requires_grad;
}

Tensor detach(const Tensor& tensor) {
  if (tensor.is_immediate()) {
    return Tensor::immediate(tensor.impl()->immediate, tensor.dtype(), tensor.is_weak());
  }
  return Tensor::view_of(tensor.storage(), tensor.shape(), tensor.strides(), tensor.offset(),
                         tensor.dtype());
}

void add_grad_hook(const Tensor& tensor, GradHook hook) {
  check<ArgumentError>(
      tensor.requires_grad(),
      "register_hook: the tensor does not require gradients; set requires_grad first");
  const GradEdge edge = edge_of(tensor);
  if (!edge.node) {
    ensure_grad_meta(tensor).hooks.push_back(std::move(hook));
    return;
  }
  edge.node->hooks.resize(edge.node->output_metas.size());
  edge.node->hooks[static_cast<std::size_t>(edge.output)].push_back(std::move(hook));
}

void register_autograd() {
  set_autograd_hooks({record, before_in_place, record_view});
}

}  // namespace rondo
