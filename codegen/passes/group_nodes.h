// Pass: decides which nodes run together in one kernel.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "codegen/lower.h"
#include "codegen/passes/symbols.h"
#include "core/graph/flow.h"

namespace rondo::codegen {

/// Where the axes of a value lie in the space of its group. A `row` value does not vary along
/// reduced axes.
struct Placement {
  bool row = false;
  std::array<std::int8_t, kMaxRank> axis{};  // axis i of the value is axis `axis[i]` of the space
};

/// That of a value of the shape of the space.
Placement whole_placement(int rank);

/// Nodes that run as one step. The space of a kernel is the shape of its largest values.
struct Group {
  Step::Kind kind = Step::Kind::kernel;
  std::vector<int> nodes;  // in the order of the flow; a contraction is the first of its group
  int rank = 0;            // of the space
  Symbols space{};
  std::uint32_t reduced = 0;  // axes that are reduced
  bool reduces = false;
  bool writes_in_place = false;
  int loads = 0;
  FlowUse space_use;  // a use, or a value of a node, that has the shape of the space
  int space_value = -1;
};

struct Grouping {
  std::vector<Group> groups;  // in the order in which they run
  std::vector<int> group_of_node;
  std::vector<Placement> placements;  // of values, in the group of their producer
  std::vector<char> stored;           // values that must be written to memory
};

/// Keeps the order of what reads and overwrites the same storage.
Grouping group_nodes(const Flow& flow, const SymbolTable& symbols);

}  // namespace rondo::codegen
