// What runs: a graph of an archive with its expressions parsed and its tensors found.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/base/interrupt.h"
#include "core/graph/graph.h"
#include "serialize/condition.h"

namespace rondo::jit {

/// A graph, ready to run; `releases[n]` are values that node n uses last.
struct Program {
  struct Node {
    std::vector<Attr> attrs;                                   // where no size is in them
    std::vector<std::vector<serialize::Dimension>> attr_dims;  // per attribute, empty: none
    std::vector<serialize::Dimension> input_sizes;             // of operands that are sizes
    std::vector<Tensor> numbers;                               // operands that are numbers
    std::vector<int> tensors;                                  // operands that are tensors: which
    bool sized = false;
  };
  Graph graph;
  std::vector<Node> nodes;
  std::vector<std::vector<int>> releases;
  std::vector<serialize::Condition> guards;  // those of the body
};

/// What the graphs of an archive may name.
struct ProgramContext {
  std::string entry;                            // for error texts
  std::function<int(const std::string&)> find;  // the number of a tensor; -1 if there is none
  std::vector<bool> writable;                   // by number: calls may write it
};

/// Errors: FormatError for a name that is unknown and for a write into what may not be written.
Program compile(Graph graph, const ProgramContext& context);

/// Runs a program; `tensors` are those of the archive, or others in their places. `interrupt` is
/// asked before each call.
std::vector<Tensor> execute(const Program& program, std::span<const Tensor> inputs,
                            const serialize::Bindings& sizes, std::span<const Tensor> tensors,
                            Interrupt& interrupt);

}  // namespace rondo::jit
