#include "tracer/matcher.h"

#include "tracer/token.h"

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

void StorageMap::reset() {
  if (++run_ == 0) {
    slots_.fill({});
    run_ = 1;
  }
}

int StorageMap::find(std::uint64_t storage) const {
  for (std::size_t i = mix(1, storage) % kSlots;; i = (i + 1) % kSlots) {
    const Slot& slot = slots_[i];
    if (slot.run != run_) {
      return -1;
    }
    if (slot.storage == storage) {
      return slot.group;
    }
  }
}

void StorageMap::insert(std::uint64_t storage, int group) {
  std::size_t i = mix(1, storage) % kSlots;
  while (slots_[i].run == run_ && slots_[i].storage != storage) {
    i = (i + 1) % kSlots;
  }
  slots_[i] = {storage, run_, group};
}

void CountMap::reset() {
  if (slots_.empty() || ++run_ == 0) {
    slots_.assign(kSlots, {});
    run_ = 1;
  }
  keys_.clear();
}

CountMap::Slot& CountMap::slot(const void* key) {
  std::size_t i = mix(3, reinterpret_cast<std::uintptr_t>(key)) % kSlots;
  while (slots_[i].run == run_ && slots_[i].key != key) {
    i = (i + 1) % kSlots;
  }
  if (slots_[i].run != run_) {
    slots_[i] = {key, run_, 0};
    keys_.push_back(key);
  }
  return slots_[i];
}

void Matcher::start(const Segment& segment) {
  segment_ = &segment;
  position_ = 0;
  storages_.reset();
}

bool Matcher::same_geometry(const Tensor& a, const Tensor& b) {
  return a.is_same(b) ||
         (a.offset() == b.offset() && a.shape() == b.shape() && a.strides() == b.strides());
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
  if (storages_.find(tensor.storage()->id()) != value.group) {
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
  const int group = storages_.find(tensor.storage()->id());
  const bool first =
      value.call == static_cast<int>(position_) && value.slot == static_cast<int>(slot);
  if (!first) {
    const bool own = value.call == static_cast<int>(position_);
    const std::span<const Tensor> inputs =
        own ? call.inputs
            : std::span<const Tensor>(pending[static_cast<std::size_t>(value.call)].inputs);
    const Tensor& seen = inputs[static_cast<std::size_t>(value.slot)];
    return group == value.group && same_geometry(tensor, seen);
  }
  if (group < 0 && value.first_of_group) {
    storages_.insert(tensor.storage()->id(), value.group);
    return true;
  }
  return group == value.group && !value.first_of_group;
}

void Matcher::accept(const OpCall& call) {
  const FlowNode& node = segment_->flow.nodes[position_];
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    const FlowValue& value = segment_->flow.values[static_cast<std::size_t>(node.outputs[i])];
    storages_.insert(call.outputs[i].storage()->id(), value.group);
  }
  ++position_;
}

}  // namespace rondo::tracer
