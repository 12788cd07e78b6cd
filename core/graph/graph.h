// The graph of an exported method: what an archive holds as text, and what runs without Python.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/op/op_info.h"

namespace rondo {

/// An attribute whose integers may depend on sizes: where `dims` is not empty, it gives them as
/// expressions over the symbols of the signature, one for each integer.
struct GraphAttr {
  Attr value;
  std::vector<std::string> dims;
};

/// An operand of a node.
struct GraphOperand {
  enum class Kind : std::uint8_t { none, value, tensor, number, size };
  Kind kind = Kind::none;
  int value = -1;    // a result of an earlier node, or an input
  std::string name;  // tensor: its name in the archive; size: an expression
  Scalar number;
  Dtype dtype = Dtype::float32;  // of a number
  bool weak = true;              // of a number
};

struct GraphNode {
  const OpInfo* op = nullptr;
  std::vector<GraphOperand> inputs;
  std::vector<GraphAttr> attrs;
  std::vector<int> outputs;
  bool in_place = false;  // the in-place form: the first operand, a tensor, is overwritten
  bool no_grad = false;   // nothing is recorded for the backward pass
  std::string source;     // where the user's code made the call, for example "model.py:12"
};

/// Values are numbered: the inputs first, then the results of the nodes in order.
struct Graph {
  std::string name;
  int inputs = 0;
  int values = 0;
  std::vector<GraphNode> nodes;
  std::vector<int> outputs;
};

/// A text with more nodes is refused.
inline constexpr std::size_t kMaxGraphNodes = 200'000;

/// The text of a graph; parse_graph reads it back.
std::string print(const Graph& graph);

/// Errors: FormatError with the line for text that is no graph, names an unknown op, or uses a
/// value before it is made.
Graph parse_graph(std::string_view text);

/// Checks that nodes use values that have been made and number their results in order, and that
/// what is returned exists. Errors: FormatError.
void verify(const Graph& graph);

}  // namespace rondo
