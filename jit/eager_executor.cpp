#include "jit/eager_executor.h"

#include "core/graph/flow_builder.h"
#include "core/op/clashes.h"
#include "jit/device_launch.h"
#include "tracer/token.h"

namespace rondo::jit {
namespace {

constexpr std::size_t kMaxPlans = 4096;

/// Which operand stands for operand i: an earlier one that is the same view, or itself.
std::uint64_t identity_key(const OpCall& call, std::size_t i) {
  const Tensor& t = call.inputs[i];
  for (std::size_t j = 0; j < i; ++j) {
    const Tensor& u = call.inputs[j];
    if (t.defined() && u.defined() && !t.is_immediate() && !u.is_immediate() &&
        t.storage() == u.storage() && same_geometry(t, u)) {
      return j;
    }
  }
  return i;
}

}  // namespace

void EagerExecutor::execute(const OpCall& call) {
  for (const Tensor& input : call.inputs) {
    if (input.defined() && !input.is_immediate() && input.storage()->producer() != nullptr) {
      input.storage()->settle();
    }
  }
  if (call.in_place && clashes(call)) {
    std::vector<Tensor> inputs(call.inputs.begin(), call.inputs.end());
    for (Tensor& input : inputs) {
      if (clashes(call, input)) {
        const Tensor copy = Tensor::empty(input.shape(), input.dtype(), input.device());
        copy_in_place(copy, input);
        input = copy;
      }
    }
    execute({call.op, inputs, call.attrs, call.outputs, true});
    return;
  }
  if (call.outputs[0].device().is_remote()) [[unlikely]] {
    run_on_device(call, plan_for(call));
    return;
  }
  const CallTensors tensors{call.inputs, call.outputs, call.attrs};
  plan_for(call).run({&tensors, 1});
}

Plan& EagerExecutor::plan_for(const OpCall& call) {
  thread_local std::vector<std::uint64_t> key;
  key.clear();
  key.push_back(static_cast<std::uint64_t>(call.op.id) << 1 | (call.in_place ? 1U : 0U));
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    key.push_back(tracer::operand_key(call.inputs[i]) | identity_key(call, i) << 40);
  }
  for (const Tensor& output : call.outputs) {  // its rank may follow from an attribute
    key.push_back(tracer::operand_key(output));
  }
  std::uint64_t hash = 0;
  for (const std::uint64_t word : key) {
    hash = tracer::mix(hash, word);
  }
  const std::vector<SchemaArg>& schema = call.op.schema.args;
  std::size_t attr = 0;
  for (const SchemaArg& arg : schema) {
    if (!arg.is_operand()) {
      hash = tracer::mix(hash, arg.type == ArgType::sizes ? 0 : call.attrs[attr].hash());
      ++attr;
    }
  }
  const auto [first, last] = plans_.equal_range(hash);
  for (auto it = first; it != last; ++it) {
    if (it->second.key == key && equal_but_for_sizes(call.op, call.attrs, it->second.attrs)) {
      return *it->second.plan;
    }
  }
  if (plans_.size() >= kMaxPlans) {
    plans_.clear();
  }
  FlowBuilder builder;
  builder.append(call, 0);
  Flow flow = builder.take();
  for (const int output : flow.nodes[0].outputs) {
    flow.live[static_cast<std::size_t>(output)] = 1;
  }
  auto plan =
      std::make_unique<Plan>(std::make_shared<const codegen::Lowered>(codegen::lower(flow)));
  const auto made =
      plans_.emplace(hash, Entry{key, {call.attrs.begin(), call.attrs.end()}, std::move(plan)});
  return *made->second.plan;
}

}  // namespace rondo::jit
