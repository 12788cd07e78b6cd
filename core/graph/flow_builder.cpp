#include "core/graph/flow_builder.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"

namespace rondo {

int FlowBuilder::add_value(const FlowValue& value) {
  flow_.values.push_back(value);
  flow_.live.push_back(0);
  return static_cast<int>(flow_.values.size()) - 1;
}

FlowBuilder::Group& FlowBuilder::group_of(const Tensor& tensor) {
  Group& group = groups_[tensor.storage()->id()];
  if (group.number < 0) {
    group.number = flow_.groups++;
  }
  return group;
}

void FlowBuilder::define(const Tensor& tensor, int value) {
  if (tensor.is_immediate()) {
    immediates_[tensor.impl()] = value;
    return;
  }
  Group& group = groups_[tensor.storage()->id()];
  group.number = flow_.values[static_cast<std::size_t>(value)].group;
  group.produced = true;
  group.views = {{tensor.shape(), tensor.strides(), tensor.offset(), value}};
}

FlowUse FlowBuilder::use_immediate(const Tensor& tensor, int call, int slot) {
  const auto known = immediates_.find(tensor.impl());
  FlowUse use;
  if (known != immediates_.end()) {
    use.value = known->second;
    return use;
  }
  FlowValue value = describe(tensor);
  value.external = !inside_body_;
  value.constant = inside_body_;
  value.number = tensor.impl()->immediate;
  value.call = call;
  value.slot = slot;
  use.value = add_value(value);
  return use;
}

FlowUse FlowBuilder::use(const Tensor& tensor, int call, int slot) {
  if (!tensor.defined()) {
    return {};
  }
  if (tensor.is_immediate()) {
    return use_immediate(tensor, call, slot);
  }
  Group& group = group_of(tensor);
  if (group.produced) {
    const Geometry& g = group.views.front();
    return {g.value, view_between(tensor, g.shape, g.strides, g.offset)};
  }
  for (const Geometry& g : group.views) {
    if (g.shape == tensor.shape() && g.strides == tensor.strides() && g.offset == tensor.offset()) {
      return {g.value, view_between(tensor, g.shape, g.strides, g.offset)};
    }
  }
  invariant(!inside_body_, "the body of a composite uses a tensor that it was not given");
  FlowValue value = describe(tensor);
  value.external = true;
  value.first_of_group = group.views.empty();
  value.group = group.number;
  value.call = call;
  value.slot = slot;
  const int id = add_value(value);
  group.views.push_back({tensor.shape(), tensor.strides(), tensor.offset(), id});
  return {id, view_between(tensor, tensor.shape(), tensor.strides(), tensor.offset())};
}

void FlowBuilder::name_opaque_view(FlowUse& use, const Tensor& tensor, int call, int slot) {
  if (use.value < 0 || use.view.kind != UseView::Kind::opaque) {
    return;
  }
  const FlowValue& seen = flow_.values[static_cast<std::size_t>(use.value)];
  FlowValue alias = describe(tensor);
  alias.alias_of = use.value;
  alias.group = seen.group;
  alias.call = call;
  alias.slot = slot;
  use.value = add_value(alias);
  use.view = view_between(tensor, tensor.shape(), tensor.strides(), tensor.offset());
}

void FlowBuilder::append(const OpCall& call, int call_number) {
  FlowNode node;
  node.op = &call.op;
  node.attrs.assign(call.attrs.begin(), call.attrs.end());
  node.in_place = call.in_place;
  node.call = call_number;
  node.whole_call = !inside_body_;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    node.inputs.push_back(use(call.inputs[i], call_number, static_cast<int>(i)));
    if (call.op.kind == OpKind::composite) {
      name_opaque_view(node.inputs.back(), call.inputs[i], call_number, static_cast<int>(i));
    }
  }
  const int number = static_cast<int>(flow_.nodes.size());
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    const Tensor& output = call.outputs[i];
    Group& group = group_of(output);
    FlowValue value = describe(output);
    value.group = group.number;
    value.node = number;
    value.call = call_number;
    value.slot = static_cast<int>(i);
    value.result = true;
    value.overwrites = call.in_place ? node.inputs[i].value : -1;
    const int id = add_value(value);
    group.produced = true;
    group.views = {{output.shape(), output.strides(), output.offset(), id}};
    node.outputs.push_back(id);
  }
  flow_.nodes.push_back(std::move(node));
}

Flow FlowBuilder::take() {
  groups_.clear();
  immediates_.clear();
  return std::exchange(flow_, Flow{});
}

}  // namespace rondo
