#include "tracer/explicit_trace.h"

#include <algorithm>
#include <map>

#include "core/base/error.h"
#include "core/tensor/equal.h"
#include "tracer/trace_recording.h"

namespace rondo::tracer {
namespace {

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

/// Finds integers that follow the sizes.
class Comparison {
 public:
  Comparison(const TraceRequest& request, const Recording& base, UnchangedTensors& unchanged)
      : base_(base) {
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
        others_.push_back(
            {symbol, more, record(request, resized(request, symbol, more), unchanged)});
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
                        a[i].in_place == b[i].in_place && a[i].no_grad == b[i].no_grad &&
                        a[i].inputs.size() == b[i].inputs.size() && same_wiring(a[i], b[i]);
      const std::string& where = i < a.size() ? a[i].source : b[i].source;
      check<ArgumentError>(
          same,
          "trace: {}: the calls depend on a size: {} with the example, {} with another "
          "size; loops over a dynamic size cannot be exported",
          where, i < a.size() ? a[i].op->name : "nothing",
          i < b.size() ? b[i].op->name : "nothing");
    }
    for (std::size_t i = 0; i < base_.constants.size(); ++i) {
      const Tensor& x = base_.constants[i].tensor;
      const Tensor& y = other.constants[i].tensor;
      check<ArgumentError>(x.is_same(y) || same_bits(x, y),
                           "trace: a tensor of shape {} that {} makes without calls of ops differs "
                           "from run to run; what is exported cannot make it anew",
                           x.shape(), base_.graph.name);
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
  UnchangedTensors unchanged(request);
  const Recording base = record(request, request.inputs, unchanged);
  const Comparison comparison(request, base, unchanged);
  TraceResult result;
  result.graph = base.graph;
  result.constants = base.constants;
  result.outputs = base.outputs;
  result.written = base.written;
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
