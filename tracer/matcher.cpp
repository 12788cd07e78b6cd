#include "tracer/matcher.h"

#include "core/tensor/equal.h"

namespace rondo::tracer {

void PendingCall::assign(const OpCall& call) {
  op = &call.op;
  inputs.assign(call.inputs.begin(), call.inputs.end());
  outputs.assign(call.outputs.begin(), call.outputs.end());
  attrs.assign(call.attrs.begin(), call.attrs.end());
  in_place = call.in_place;
}

void PendingCall::clear() {
  inputs.clear();
  outputs.clear();
  attrs.clear();
}

void Matcher::start(const Segment& segment) {
  segment_ = &segment;
  position_ = 0;
  groups_.clear();
}

int Matcher::group_of(const Tensor& tensor) const {
  const int* group = groups_.find(tensor.storage()->id());
  return group == nullptr ? -1 : *group;
}

bool Matcher::matches(const OpCall& call, const std::vector<PendingCall>& pending) {
  const FlowNode& node = segment_->flow.nodes[position_];
  if (&call.op != node.op || call.in_place != node.in_place ||
      call.inputs.size() != node.inputs.size() ||
      !equal_but_for_sizes(call.op, call.attrs, node.attrs)) {
    return false;
  }
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    if (!matches_operand(call, i, pending)) {
      return false;
    }
  }
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    const FlowValue& value = segment_->flow.values[static_cast<std::size_t>(node.outputs[i])];
    if (call.outputs[i].rank() != value.rank || ones_mask(call.outputs[i].shape()) != value.ones) {
      return false;
    }
  }
  return true;
}

bool Matcher::matches_operand(const OpCall& call, std::size_t slot,
                              const std::vector<PendingCall>& pending) {
  const Tensor& tensor = call.inputs[slot];
  const Flow& flow = segment_->flow;
  const FlowUse& use = flow.nodes[position_].inputs[slot];
  if (use.value < 0 || !tensor.defined()) {
    return (use.value < 0) == !tensor.defined();
  }
  const FlowValue& value = flow.values[static_cast<std::size_t>(use.value)];
  if (tensor.is_immediate() != value.immediate || tensor.dtype() != value.dtype) {
    return false;
  }
  if (value.immediate) {
    return tensor.is_weak() == value.weak;
  }
  if (value.external) {
    return matches_external(call, slot, use, pending);
  }
  if (group_of(tensor) != value.group) {
    return false;
  }
  const int made = value.alias_of >= 0 ? value.alias_of : use.value;
  const FlowValue& source = flow.values[static_cast<std::size_t>(made)];
  const PendingCall& maker = pending[static_cast<std::size_t>(source.call)];
  const Tensor& seen =
      (source.result ? maker.outputs : maker.inputs)[static_cast<std::size_t>(source.slot)];
  if (value.alias_of >= 0) {
    return tensor.rank() == value.rank && ones_mask(tensor.shape()) == value.ones &&
           view_between(tensor, seen.shape(), seen.strides(), seen.offset()).kind ==
               UseView::Kind::opaque;
  }
  if (use.view.kind == UseView::Kind::identity && tensor.is_same(seen)) {
    return true;
  }
  return view_between(tensor, seen.shape(), seen.strides(), seen.offset()) == use.view;
}

bool Matcher::matches_external(const OpCall& call, std::size_t slot, const FlowUse& use,
                               const std::vector<PendingCall>& pending) {
  const Tensor& tensor = call.inputs[slot];
  const FlowValue& value = segment_->flow.values[static_cast<std::size_t>(use.value)];
  if (tensor.rank() != value.rank || ones_mask(tensor.shape()) != value.ones) {
    return false;
  }
  const int group = group_of(tensor);
  const bool first =
      value.call == static_cast<int>(position_) && value.slot == static_cast<int>(slot);
  if (!first) {
    const bool own = value.call == static_cast<int>(position_);
    const std::span<const Tensor> inputs =
        own ? call.inputs
            : std::span<const Tensor>(pending[static_cast<std::size_t>(value.call)].inputs);
    const Tensor& seen = inputs[static_cast<std::size_t>(value.slot)];
    return group == value.group && (tensor.is_same(seen) || same_geometry(tensor, seen));
  }
  if (group < 0 && value.first_of_group) {
    groups_[tensor.storage()->id()] = value.group;
    return true;
  }
  return group == value.group && !value.first_of_group;
}

void Matcher::accept(const OpCall& call) {
  const FlowNode& node = segment_->flow.nodes[position_];
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    const FlowValue& value = segment_->flow.values[static_cast<std::size_t>(node.outputs[i])];
    groups_[call.outputs[i].storage()->id()] = value.group;
  }
  ++position_;
}

}  // namespace rondo::tracer
