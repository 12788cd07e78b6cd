#include "jit/program.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/op/call.h"

namespace rondo::jit {
namespace {

using serialize::Bindings;
using serialize::Dimension;

class Compiler {
 public:
  Compiler(Graph graph, const ProgramContext& context) : context_(context) {
    program_.graph = std::move(graph);
    last_.assign(static_cast<std::size_t>(program_.graph.values), -1);
  }

  Program run() {
    for (std::size_t n = 0; n < program_.graph.nodes.size(); ++n) {
      add(program_.graph.nodes[n], static_cast<int>(n));
    }
    for (const int output : program_.graph.outputs) {
      last_[static_cast<std::size_t>(output)] = -1;
    }
    program_.releases.resize(program_.graph.nodes.size());
    for (std::size_t v = 0; v < last_.size(); ++v) {
      if (last_[v] >= 0) {
        program_.releases[static_cast<std::size_t>(last_[v])].push_back(static_cast<int>(v));
      }
    }
    return std::move(program_);
  }

 private:
  void add(const GraphNode& node, int n) {
    Program::Node compiled;
    for (const GraphAttr& attr : node.attrs) {
      compiled.attrs.push_back(attr.value);
      std::vector<Dimension> dims;
      for (const std::string& text : attr.dims) {
        dims.push_back(Dimension::parse(text));
      }
      compiled.sized = compiled.sized || !dims.empty();
      compiled.attr_dims.push_back(std::move(dims));
    }
    for (const GraphOperand& operand : node.inputs) {
      add_operand(operand, n, compiled);
    }
    check_writes(node, compiled);
    program_.nodes.push_back(std::move(compiled));
  }

  void add_operand(const GraphOperand& operand, int n, Program::Node& compiled) {
    Tensor number;
    Dimension size;
    int tensor = -1;
    switch (operand.kind) {
      case GraphOperand::Kind::tensor:
        tensor = context_.find(operand.name);
        check<FormatError>(tensor >= 0, "load: {}: no tensor is named '{}'", context_.entry,
                           operand.name);
        break;
      case GraphOperand::Kind::number:
        number = Tensor::immediate(operand.number, operand.dtype, operand.weak);
        break;
      case GraphOperand::Kind::size:
        size = Dimension::parse(operand.name);
        break;
      case GraphOperand::Kind::value:
        last_[static_cast<std::size_t>(operand.value)] = n;
        break;
      default:
        break;
    }
    compiled.numbers.push_back(number);
    compiled.input_sizes.push_back(size);
    compiled.tensors.push_back(tensor);
  }

  /// Nothing else is ever written: neither what callers give nor the mapped file.
  void check_writes(const GraphNode& node, const Program::Node& compiled) const {
    if (!node.in_place && !node.op->in_place) {
      return;
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      const int tensor = i < compiled.tensors.size() ? compiled.tensors[i] : -1;
      check<FormatError>(tensor >= 0 && context_.writable[static_cast<std::size_t>(tensor)],
                         "load: {}: {} writes its operand {}, which is not among mutable_buffers",
                         context_.entry, node.op->name, i);
    }
  }

  const ProgramContext& context_;
  Program program_;
  std::vector<int> last_;  // of each value: the node that uses it last
};

/// Fills in the attributes that depend on sizes.
std::vector<Attr> bound_attrs(const Program::Node& node, const Bindings& sizes) {
  std::vector<Attr> attrs = node.attrs;
  for (std::size_t a = 0; a < attrs.size(); ++a) {
    if (node.attr_dims[a].empty()) {
      continue;
    }
    Ints values;
    for (const Dimension& dim : node.attr_dims[a]) {
      values.push_back(dim.evaluate(sizes));
    }
    const bool list = std::holds_alternative<Ints>(attrs[a].value());
    attrs[a] = list ? Attr(values) : Attr(values[0]);
  }
  return attrs;
}

class Execution {
 public:
  Execution(const Program& program, std::span<const Tensor> inputs, const Bindings& sizes,
            std::span<const Tensor> tensors)
      : program_(program),
        sizes_(sizes),
        tensors_(tensors),
        values_(static_cast<std::size_t>(program.graph.values)) {
    std::copy(inputs.begin(), inputs.end(), values_.begin());
  }

  std::vector<Tensor> run(Interrupt& interrupt) {
    for (std::size_t n = 0; n < program_.nodes.size(); ++n) {
      interrupt.check();
      step(program_.graph.nodes[n], program_.nodes[n]);
      for (const int v : program_.releases[n]) {
        values_[static_cast<std::size_t>(v)] = {};
      }
    }
    std::vector<Tensor> results;
    for (const int output : program_.graph.outputs) {
      results.push_back(values_[static_cast<std::size_t>(output)]);
    }
    return results;
  }

 private:
  Tensor operand(const GraphOperand& operand, const Program::Node& compiled, std::size_t i) const {
    switch (operand.kind) {
      case GraphOperand::Kind::value:
        return values_[static_cast<std::size_t>(operand.value)];
      case GraphOperand::Kind::size:
        return Tensor::number(Scalar(static_cast<long>(compiled.input_sizes[i].evaluate(sizes_))));
      case GraphOperand::Kind::tensor:
        return tensors_[static_cast<std::size_t>(compiled.tensors[i])];
      default:
        return compiled.numbers[i];
    }
  }

  void step(const GraphNode& node, const Program::Node& compiled) {
    const GradMode grad(grad_enabled() && !node.no_grad);
    operands_.clear();
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      operands_.push_back(operand(node.inputs[i], compiled, i));
    }
    outputs_.assign(node.outputs.size(), {});
    if (compiled.sized) {
      call_node(node, bound_attrs(compiled, sizes_));
    } else {
      call_node(node, compiled.attrs);
    }
    operands_.clear();
    for (std::size_t o = 0; o < outputs_.size(); ++o) {
      values_[static_cast<std::size_t>(node.outputs[o])] = std::move(outputs_[o]);
    }
  }

  void call_node(const GraphNode& node, std::span<const Attr> attrs) {
    if (node.in_place) {
      outputs_[0] = call_in_place(*node.op, operands_, attrs);
    } else {
      call(*node.op, operands_, attrs, outputs_);
    }
  }

  const Program& program_;
  const Bindings& sizes_;
  std::span<const Tensor> tensors_;
  std::vector<Tensor> values_;
  std::vector<Tensor> operands_;
  std::vector<Tensor> outputs_;
};

}  // namespace

Program compile(Graph graph, const ProgramContext& context) {
  return Compiler(std::move(graph), context).run();
}

std::vector<Tensor> execute(const Program& program, std::span<const Tensor> inputs,
                            const Bindings& sizes, std::span<const Tensor> tensors,
                            Interrupt& interrupt) {
  return Execution(program, inputs, sizes, tensors).run(interrupt);
}

}  // namespace rondo::jit
