#include "tracer/explicit_trace.h"

#include <algorithm>

#include "tracer/size_fit.h"

namespace rondo::tracer {
namespace {

/// Takes the expressions of a recording's integers in their order.
class Expressions {
 public:
  explicit Expressions(const SizeFit& fit) : fit_(fit) {}
  SizeText next() { return fit_.text(next_++); }

 private:
  const SizeFit& fit_;
  std::size_t next_ = 0;
};

void symbolize(GraphOperand& operand, Expressions& expressions) {
  if (operand.kind != GraphOperand::Kind::number || operand.number.kind() != Dtype::int64) {
    return;
  }
  const SizeText text = expressions.next();
  if (text != std::to_string(operand.number.to_int())) {
    operand.kind = GraphOperand::Kind::size;
    operand.name = text;
  }
}

void symbolize(GraphAttr& attr, Expressions& expressions) {
  Ints values;
  if (const auto* list = std::get_if<Ints>(&attr.value.value())) {
    values = *list;
  } else if (const auto* one = std::get_if<std::int64_t>(&attr.value.value())) {
    values.push_back(*one);
  }
  bool symbolic = false;
  for (const std::int64_t value : values) {
    attr.dims.push_back(expressions.next());
    symbolic = symbolic || attr.dims.back() != std::to_string(value);
  }
  if (!symbolic) {
    attr.dims.clear();
  }
}

std::vector<SizeText> input_shape(const TraceRequest& request, std::size_t i) {
  std::vector<SizeText> shape;
  for (const std::int64_t size : request.inputs[i].shape()) {
    shape.push_back(std::to_string(size));
  }
  for (const DynamicAxis& axis : request.dynamic) {
    if (axis.input == static_cast<int>(i)) {
      shape[static_cast<std::size_t>(axis.axis)] = axis.symbol;
    }
  }
  return shape;
}

}  // namespace

TraceResult trace(const TraceRequest& request) {
  UnchangedTensors unchanged(request);
  const Recording base = record(request, request.inputs, unchanged);
  const SizeFit fit(request, base, unchanged);
  Expressions expressions(fit);
  TraceResult result;
  result.graph = base.graph;
  result.guards = fit.guards();
  result.constants = base.constants;
  result.outputs = base.outputs;
  result.written = base.written;
  result.random = base.random;
  for (GraphNode& node : result.graph.nodes) {
    for (GraphOperand& operand : node.inputs) {
      symbolize(operand, expressions);
    }
    for (GraphAttr& attr : node.attrs) {
      symbolize(attr, expressions);
    }
  }
  for (std::size_t i = 0; i < request.inputs.size(); ++i) {
    result.input_shapes.push_back(input_shape(request, i));
  }
  for (const Tensor& output : base.outputs) {
    std::vector<SizeText> shape;
    for (int d = 0; d < output.rank(); ++d) {
      shape.push_back(expressions.next());
    }
    result.output_shapes.push_back(shape);
    result.output_dtypes.push_back(output.dtype());
  }
  return result;
}

}  // namespace rondo::tracer
