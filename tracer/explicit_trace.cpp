#include "tracer/explicit_trace.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "core/base/error.h"
#include "core/op/call.h"

namespace rondo::tracer {
namespace {

/// One run of the function as a graph without symbols, and what is needed to compare runs.
class Recording final : public CallObserver {
 public:
  Recording(const TraceRequest& request, const std::vector<Tensor>& inputs) : request_(request) {
    graph.name = request.method;
    graph.inputs = static_cast<int>(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      define(inputs[i], static_cast<int>(i));
    }
    graph.values = graph.inputs;
    for (const NamedTensor& named : request.tensors) {
      names_.emplace(named.tensor.impl(), named.name);
    }
  }

  void called(const OpCall& call) override {
    const std::string at = request_.source ? request_.source() : "";
    check<UnsupportedError>(!call.in_place,
                            "trace: {}: {}_ writes in place; use {} in what is exported", at,
                            call.op.name, call.op.name);
    GraphNode node;
    node.op = &call.op;
    node.source = at;
    for (const Tensor& input : call.inputs) {
      node.inputs.push_back(operand(input));
    }
    for (const Attr& attr : call.attrs) {
      node.attrs.push_back({attr, {}});
    }
    for (const Tensor& output : call.outputs) {
      define(output, graph.values);
      node.outputs.push_back(graph.values++);
    }
    random = random || !call.op.deterministic;
    graph.nodes.push_back(std::move(node));
  }

  void host_read(const Tensor& tensor) override {
    if (values_.count(tensor.impl()) != 0) {
      fail<ArgumentError>(
          "trace: {}: the value of a traced tensor of shape {} is read on the host; what is "
          "exported "
          "cannot depend on it",
          request_.source ? request_.source() : "", tensor.shape());
    }
  }

  int value(const Tensor& tensor) const {
    const auto found = values_.find(tensor.impl());
    return found == values_.end() ? -1 : found->second;
  }

  Graph graph;
  std::vector<NamedTensor> constants;
  std::vector<Tensor> outputs;
  bool random = false;

 private:
  void define(const Tensor& tensor, int value) {
    values_[tensor.impl()] = value;
    kept_.push_back(tensor);
  }

  GraphOperand operand(const Tensor& tensor) {
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
    const auto named = names_.find(tensor.impl());
    if (named == names_.end()) {
      const std::string name = fmt::format("constant.{}", constants.size());
      constants.push_back({name, tensor});
      names_.emplace(tensor.impl(), name);
      kept_.push_back(tensor);
      result.name = name;
    } else {
      result.name = named->second;
    }
    return result;
  }

  const TraceRequest& request_;
  std::unordered_map<const TensorImpl*, int> values_;
  std::unordered_map<const TensorImpl*, std::string> names_;
  std::vector<Tensor> kept_;  // an address must not be used again while it is a key
};

/// The examples with the size of `symbol` changed by `more`: rows are repeated, so that indices
/// stay valid.
std::vector<Tensor> resized(const TraceRequest& request, const std::string& symbol,
                            std::int64_t more) {
  const OpInfo* select = OpTable::instance().find("index_select");
  const OpInfo* arange = OpTable::instance().find("arange");
  const OpInfo* remainder = OpTable::instance().find("remainder");
  invariant(select != nullptr && arange != nullptr && remainder != nullptr,
            "ops for tracing are missing");
  std::vector<Tensor> inputs = request.inputs;
  for (const DynamicAxis& dynamic : request.dynamic) {
    if (dynamic.symbol == symbol) {
      Tensor& input = inputs[static_cast<std::size_t>(dynamic.input)];
      const std::int64_t size = input.size(dynamic.axis);
      const Tensor places = call_one(*remainder, {call_one(*arange, {0, size + more}), size});
      input = call_one(*select, {input, dynamic.axis, places});
    }
  }
  return inputs;
}

Recording record(const TraceRequest& request, const std::vector<Tensor>& inputs) {
  Recording recording(request, inputs);
  const GradMode no_grad(false);
  CallObserver*& observer = current_observer();
  CallObserver* const previous = observer;
  observer = &recording;
  try {
    recording.outputs = request.function(inputs);
  } catch (...) {
    observer = previous;
    throw;
  }
  observer = previous;
  for (const Tensor& output : recording.outputs) {
    const int value = recording.value(output);
    check<ArgumentError>(value >= 0, "trace: a result of {} was not computed from calls of ops",
                         request.method);
    recording.graph.outputs.push_back(value);
  }
  return recording;
}

/// Finds integers that follow the sizes.
class Comparison {
 public:
  Comparison(const TraceRequest& request, const Recording& base) : base_(base) {
    for (const DynamicAxis& axis : request.dynamic) {
      const std::int64_t size =
          request.inputs[static_cast<std::size_t>(axis.input)].size(axis.axis);
      const auto [at, added] = sizes_.emplace(axis.symbol, size);
      check<ArgumentError>(added || at->second == size,
                           "trace: the symbol {} stands for sizes {} and {}; examples must agree",
                           axis.symbol, at->second, size);
    }
    for (const auto& [symbol, size] : sizes_) {
      for (const std::int64_t more : {1, 2}) {
        others_.push_back({symbol, more, record(request, resized(request, symbol, more))});
        same_calls(others_.back().recording);
      }
    }
  }

  /// The text of an integer that `get` takes from a recording.
  template <class Get>
  std::string text(Get get, const std::string& where) const {
    const std::int64_t base = get(base_);
    std::int64_t rest = base;
    std::string terms;
    for (std::size_t i = 0; i < others_.size(); i += 2) {
      const std::int64_t slope = get(others_[i].recording) - base;
      check<ArgumentError>(
          get(others_[i + 1].recording) - base == 2 * slope,
          "trace: {}: an integer depends on the size {} but not linearly: {}, {}, {}", where,
          others_[i].symbol, base, get(others_[i].recording), get(others_[i + 1].recording));
      if (slope != 0) {
        const std::string& symbol = others_[i].symbol;
        terms += terms.empty() || slope < 0 ? "" : "+";
        terms += slope == 1 ? symbol : fmt::format("{}*{}", slope, symbol);
        rest -= slope * sizes_.at(symbol);
      }
    }
    if (terms.empty()) {
      return std::to_string(base);
    }
    return rest == 0 ? terms : terms + (rest > 0 ? "+" : "") + std::to_string(rest);
  }

  void check_numbers(std::size_t node, std::size_t input, const GraphOperand& operand) const {
    for (const Other& other : others_) {
      const GraphOperand& seen = other.recording.graph.nodes[node].inputs[input];
      check<ArgumentError>(
          seen.number == operand.number,
          "trace: {}: a number depends on the size {}: {} and {}; compute it from the "
          "tensor's shape as an integer",
          base_.graph.nodes[node].source, other.symbol, operand.number.str(), seen.number.str());
    }
  }

 private:
  struct Other {
    std::string symbol;
    std::int64_t more;
    Recording recording;
  };

  void same_calls(const Recording& other) const {
    const std::vector<GraphNode>& a = base_.graph.nodes;
    const std::vector<GraphNode>& b = other.graph.nodes;
    for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
      const bool same = i < a.size() && i < b.size() && a[i].op == b[i].op &&
                        a[i].inputs.size() == b[i].inputs.size() && same_wiring(a[i], b[i]);
      const std::string& where = i < a.size() ? a[i].source : b[i].source;
      check<ArgumentError>(
          same,
          "trace: {}: the calls depend on a size: {} with the example, {} with another "
          "size; loops over a dynamic size cannot be exported",
          where, i < a.size() ? a[i].op->name : "nothing",
          i < b.size() ? b[i].op->name : "nothing");
    }
  }

  static bool same_wiring(const GraphNode& a, const GraphNode& b) {
    for (std::size_t i = 0; i < a.inputs.size(); ++i) {
      const GraphOperand& x = a.inputs[i];
      const GraphOperand& y = b.inputs[i];
      if (x.kind != y.kind || x.value != y.value || x.name != y.name) {
        return false;
      }
    }
    return true;
  }

  const Recording& base_;
  std::map<std::string, std::int64_t> sizes_;
  std::vector<Other> others_;
};

/// Replaces integers of attributes and operands by expressions where they follow the sizes.
void symbolize(Graph& graph, const Comparison& comparison) {
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    GraphNode& node = graph.nodes[n];
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      GraphOperand& operand = node.inputs[i];
      if (operand.kind != GraphOperand::Kind::number) {
        continue;
      }
      if (operand.number.kind() != Dtype::int64) {
        comparison.check_numbers(n, i, operand);
        continue;
      }
      const std::string text = comparison.text(
          [&](const Recording& r) { return r.graph.nodes[n].inputs[i].number.to_int(); },
          node.source);
      if (text != std::to_string(operand.number.to_int())) {
        operand.kind = GraphOperand::Kind::size;
        operand.name = text;
      }
    }
    for (std::size_t a = 0; a < node.attrs.size(); ++a) {
      GraphAttr& attr = node.attrs[a];
      const bool list = std::holds_alternative<Ints>(attr.value.value());
      if (!list && !std::holds_alternative<std::int64_t>(attr.value.value())) {
        continue;
      }
      const std::size_t count = list ? attr.value.as_ints().size() : 1;
      bool symbolic = false;
      for (std::size_t k = 0; k < count; ++k) {
        const auto get = [&](const Recording& r) {
          const Attr& value = r.graph.nodes[n].attrs[a].value;
          return list ? value.as_ints()[k] : value.as_int();
        };
        const std::int64_t base = list ? attr.value.as_ints()[k] : attr.value.as_int();
        attr.dims.push_back(comparison.text(get, node.source));
        symbolic = symbolic || attr.dims.back() != std::to_string(base);
      }
      if (!symbolic) {
        attr.dims.clear();
      }
    }
  }
}

}  // namespace

TraceResult trace(const TraceRequest& request) {
  const Recording base = record(request, request.inputs);
  const Comparison comparison(request, base);
  TraceResult result;
  result.graph = base.graph;
  result.constants = base.constants;
  result.outputs = base.outputs;
  result.random = base.random;
  symbolize(result.graph, comparison);
  for (std::size_t i = 0; i < request.inputs.size(); ++i) {
    std::vector<SizeText> shape;
    for (const std::int64_t size : request.inputs[i].shape()) {
      shape.push_back(std::to_string(size));
    }
    for (const DynamicAxis& axis : request.dynamic) {
      if (axis.input == static_cast<int>(i)) {
        shape[static_cast<std::size_t>(axis.axis)] = axis.symbol;
      }
    }
    result.input_shapes.push_back(shape);
  }
  for (std::size_t o = 0; o < base.outputs.size(); ++o) {
    std::vector<SizeText> shape;
    for (int d = 0; d < base.outputs[o].rank(); ++d) {
      shape.push_back(
          comparison.text([&](const Recording& r) { return r.outputs[o].shape()[d]; }, "a result"));
    }
    result.output_shapes.push_back(shape);
    result.output_dtypes.push_back(base.outputs[o].dtype());
  }
  return result;
}

}  // namespace rondo::tracer
