// Printing of graphs. One line a node:
//   %3 = conv2d(%0, @"conv.weight", None; [1, 1], [0, 0], [1, 1], 1)  # model.py:12
//   %4 = no_grad lerp_(@"norm.running_mean", %3, 0.1)
// `no_grad`: the call records nothing for a backward pass; an underscore: the in-place form.
// Operands: %n a value, @"name" a tensor of the archive, None, numbers (0.5, 2, True; with :dtype
// if they do not give way in promotion), ${expression} a size. Attributes follow the semicolon.
#include <fmt/format.h>

#include "core/graph/graph.h"

namespace rondo {
namespace {

std::string print_operand(const GraphOperand& operand) {
  switch (operand.kind) {
    case GraphOperand::Kind::value:
      return fmt::format("%{}", operand.value);
    case GraphOperand::Kind::tensor:
      return fmt::format("@\"{}\"", operand.name);
    case GraphOperand::Kind::number:
      return operand.weak ? operand.number.str()
                          : fmt::format("{}:{}", operand.number.str(), dtype_name(operand.dtype));
    case GraphOperand::Kind::size:
      return fmt::format("${{{}}}", operand.name);
    default:
      return "None";
  }
}

std::string print_attr(const GraphAttr& attr) {
  if (attr.dims.empty()) {
    return attr.value.str();
  }
  std::vector<std::string> parts;
  for (const std::string& dim : attr.dims) {
    parts.push_back(fmt::format("${{{}}}", dim));
  }
  const bool list = std::holds_alternative<Ints>(attr.value.value());
  return list ? fmt::format("[{}]", fmt::join(parts, ", ")) : parts[0];
}

}  // namespace

std::string print(const Graph& graph) {
  std::string text = fmt::format("method {} {}\n", graph.name, graph.inputs);
  for (const GraphNode& node : graph.nodes) {
    std::vector<std::string> outputs;
    std::vector<std::string> inputs;
    std::vector<std::string> attrs;
    for (const int v : node.outputs) {
      outputs.push_back(fmt::format("%{}", v));
    }
    for (const GraphOperand& operand : node.inputs) {
      inputs.push_back(print_operand(operand));
    }
    for (const GraphAttr& attr : node.attrs) {
      attrs.push_back(print_attr(attr));
    }
    text += fmt::format("{} = {}{}{}({}{}{})", fmt::join(outputs, ", "),
                        node.no_grad ? "no_grad " : "", node.op->name, node.in_place ? "_" : "",
                        fmt::join(inputs, ", "), attrs.empty() ? "" : "; ", fmt::join(attrs, ", "));
    text += node.source.empty() ? "\n" : fmt::format("  # {}\n", node.source);
  }
  std::vector<std::string> results;
  for (const int v : graph.outputs) {
    results.push_back(fmt::format("%{}", v));
  }
  return text + fmt::format("return {}\n", fmt::join(results, ", "));
}

}  // namespace rondo
