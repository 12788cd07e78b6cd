#include "tracer/trace_recording.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/op/generator.h"
#include "core/op/observer_scope.h"
#include "core/op/work.h"
#include "core/ops/create.h"
#include "core/tensor/equal.h"

namespace rondo::tracer {
namespace {

bool same_place(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && same_geometry(a, b);
}

double work_of(const OpCall& call) {
  double work = product_work(call);
  for (const Tensor& input : call.inputs) {
    work += element_count(input);
  }
  for (const Tensor& output : call.outputs) {
    work += element_count(output);
  }
  return work;
}

}  // namespace

Recording::Recording(const TraceRequest& request, const std::vector<Tensor>& inputs)
    : request_(request) {
  graph.name = request.method;
  graph.inputs = static_cast<int>(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    define(inputs[i], static_cast<int>(i));
  }
  graph.values = graph.inputs;
  for (const NamedTensor& named : request.tensors) {
    if (names_.emplace(named.tensor.impl(), named.name).second) {
      by_storage_.emplace(named.tensor.storage().get(), named.tensor);
    }
  }
}

void Recording::called(const OpCall& call) {
  work += work_of(call);
  const std::string at = source();
  GraphNode node;
  node.op = &call.op;
  node.source = at;
  const bool renewed = call.in_place && renews(call);
  node.in_place = call.in_place && !call.op.in_place && !renewed;
  node.no_grad = !grad_enabled();
  if (call.in_place && !renewed) {
    note_written(call, at);
  }
  for (const Tensor& input : call.inputs) {
    node.inputs.push_back(operand(input));
  }
  for (const Attr& attr : call.attrs) {
    node.attrs.push_back({attr, {}});
  }
  check<UnsupportedError>(call.op.deterministic || !call.inputs.back().defined(),
                          "trace: {}: {} draws from a generator of its own; what is exported draws "
                          "from the default one",
                          at, call.op.name);
  random = random || !call.op.deterministic;
  add_node(std::move(node), call.outputs);
}

void Recording::add_node(GraphNode node, std::span<const Tensor> made) {
  for (const Tensor& output : made) {
    if (!node.in_place && !node.op->in_place) {
      define(output, graph.values);
    }
    node.outputs.push_back(graph.values++);
  }
  graph.nodes.push_back(std::move(node));
}

/// Whether a call writes all of an earlier result that nobody else looks into. It is recorded in
/// its plain form: the tensor stands for what that gives from then on.
bool Recording::renews(const OpCall& call) const {
  const Tensor& target = call.inputs[0];
  if (call.op.in_place || call.outputs.size() != 1 || value(target) < graph.inputs) {
    return false;
  }
  const auto [first, last] = by_storage_.equal_range(target.storage().get());
  std::vector<Meta> plain;
  call.op.infer(call.args(), plain);
  return plain[0].dtype == target.dtype() &&
         std::all_of(first, last, [&](const auto& item) { return item.second.is_same(target); });
}

/// Of what else there is, only buffers may be written: they are read again by name, so that later
/// calls see what was written.
void Recording::note_written(const OpCall& call, const std::string& at) {
  for (std::size_t i = 0; i < call.outputs.size(); ++i) {
    const Tensor& target = call.inputs[i];
    const auto named =
        std::find_if(request_.tensors.begin(), request_.tensors.end(),
                     [&](const NamedTensor& t) { return t.writable && t.tensor.is_same(target); });
    check<UnsupportedError>(named != request_.tensors.end(),
                            "trace: {}: {}_ writes in place into what is no buffer of the module; "
                            "use {} in what is exported",
                            at, call.op.name, call.op.name);
    if (std::find(written.begin(), written.end(), named->name) == written.end()) {
      written.push_back(named->name);
    }
  }
}

void Recording::host_read(const Tensor& tensor) {
  check<ArgumentError>(
      values_.count(tensor.impl()) == 0,
      "trace: {}: the value of a traced tensor of shape {} is read on the host; what is exported "
      "cannot depend on it",
      source(), tensor.shape());
}

int Recording::value(const Tensor& tensor) const {
  const auto found = values_.find(tensor.impl());
  return found == values_.end() ? -1 : found->second;
}

int Recording::result(const Tensor& tensor) {
  if (value(tensor) < 0 && tensor.defined() && !tensor.is_immediate()) {
    const GraphOperand found = shared(tensor);
    return found.kind == GraphOperand::Kind::value ? found.value : -1;
  }
  return value(tensor);
}

void Recording::define(const Tensor& tensor, int value) {
  values_[tensor.impl()] = value;
  by_storage_.emplace(tensor.storage().get(), tensor);
  kept_.push_back(tensor);
}

GraphOperand Recording::operand(const Tensor& tensor) {
  GraphOperand result;
  if (!tensor.defined()) {
    return result;
  }
  if (tensor.is_immediate()) {
    result.kind = GraphOperand::Kind::number;
    result.number = tensor.impl()->immediate;
    result.dtype = tensor.dtype();
    result.weak = tensor.is_weak();
    return result;
  }
  const int known = value(tensor);
  if (known >= 0) {
    result.kind = GraphOperand::Kind::value;
    result.value = known;
    return result;
  }
  result.kind = GraphOperand::Kind::tensor;
  auto named = names_.find(tensor.impl());
  if (named == names_.end()) {
    const GraphOperand alias = shared(tensor);
    if (alias.kind == GraphOperand::Kind::value) {
      return alias;
    }
    const std::string name = fmt::format("constant.{}", constants.size());
    constants.push_back({name, tensor});
    named = names_.emplace(tensor.impl(), name).first;
    kept_.push_back(tensor);
  }
  result.name = named->second;
  return result;
}

/// A tensor that no call made but that lies in the memory of one that is known: what `detach`
/// gives. In the graph it is a copy without history.
GraphOperand Recording::shared(const Tensor& tensor) {
  GraphOperand result;
  const auto [first, last] = by_storage_.equal_range(tensor.storage().get());
  for (auto at = first; at != last; ++at) {
    if (same_place(at->second, tensor)) {
      GraphNode node;
      node.op = &info<Clone>();
      node.source = source();
      node.no_grad = !at->second.is_same(tensor);
      node.inputs.push_back(operand(at->second));
      result.kind = GraphOperand::Kind::value;
      result.value = graph.values;
      add_node(std::move(node), {&tensor, 1});
      return result;
    }
  }
  check<UnsupportedError>(first == last,
                          "trace: {}: a tensor of shape {} lies in the memory of a traced tensor "
                          "but was not made by a call",
                          source(), tensor.shape());
  return result;
}

Recording record(const TraceRequest& request, const std::vector<Tensor>& inputs,
                 UnchangedTensors& unchanged) {
  Recording recording(request, inputs);
  const GradMode grad(true);
  Generator generator;
  const GeneratorScope draws(generator);
  try {
    const ObserverScope observed(&recording);
    recording.outputs = request.function(inputs);
  } catch (...) {
    unchanged.restore();
    throw;
  }
  for (Tensor& output : recording.outputs) {
    const bool made = recording.value(output) >= 0;
    const int value = recording.result(output);
    check<ArgumentError>(value >= 0, "trace: a result of {} was not computed from calls of ops",
                         request.method);
    recording.graph.outputs.push_back(value);
    output = made ? output : clone(output);
  }
  unchanged.restore();
  return recording;
}

UnchangedTensors::UnchangedTensors(const TraceRequest& request) {
  const GradMode no_grad(false);
  const auto stop_gradient = [this](const Tensor& tensor) {
    if (tensor.impl()->requires_grad) {
      required_grad_.push_back(tensor);
      tensor.impl()->requires_grad = false;
    }
  };
  std::for_each(request.inputs.begin(), request.inputs.end(), stop_gradient);
  for (const NamedTensor& named : request.tensors) {
    stop_gradient(named.tensor);
    if (named.writable && named.tensor.storage()->writable()) {
      kept_.push_back({named.tensor, clone(named.tensor), named.tensor.storage()->version()});
    }
  }
}

UnchangedTensors::~UnchangedTensors() {
  for (const Tensor& tensor : required_grad_) {
    tensor.impl()->requires_grad = true;
  }
}

void UnchangedTensors::restore() {
  const GradMode no_grad(false);
  for (Kept& kept : kept_) {
    if (kept.tensor.storage()->version() != kept.version) {
      copy.in_place(kept.tensor, kept.copy);
      kept.version = kept.tensor.storage()->version();
    }
  }
}

}  // namespace rondo::tracer
