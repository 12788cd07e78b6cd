#include "codegen/passes/group_nodes.h"

#include <algorithm>
#include <optional>
#include <span>

namespace rondo::codegen {
namespace {

/// Limits of one kernel.
constexpr int kMaxLoads = 24;
constexpr std::size_t kMaxNodes = 64;

bool fuses(const FlowNode& node) {
  return node.op->kind == OpKind::elementwise || node.op->kind == OpKind::random;
}

class Grouper {
 public:
  Grouper(const Flow& flow, const SymbolTable& symbols) : flow_(flow), symbols_(symbols) {
    result_.group_of_node.assign(flow.nodes.size(), -1);
    result_.placements.resize(flow.values.size());
    result_.stored.assign(flow.live.begin(), flow.live.end());
    last_reader_.assign(static_cast<std::size_t>(flow.groups), -1);
  }

  Grouping run() {
    for (std::size_t n = 0; n < flow_.nodes.size(); ++n) {
      place(static_cast<int>(n));
      note_reads(static_cast<int>(n));
    }
    mark_stored();
    drop_overwritten();
    return std::move(result_);
  }

 private:
  const FlowValue& value(int v) const { return flow_.values[static_cast<std::size_t>(v)]; }
  const FlowNode& node(int n) const { return flow_.nodes[static_cast<std::size_t>(n)]; }

  /// The value whose memory a value is: itself, or for a view known only at run time its base.
  int base_of(int v) const { return value(v).alias_of >= 0 ? value(v).alias_of : v; }

  /// The group that makes a value; -1 for one from outside.
  int maker(int v) const {
    const int producer = value(base_of(v)).node;
    return producer < 0 ? -1 : result_.group_of_node[static_cast<std::size_t>(producer)];
  }

  /// The use can be served from a register of the group that makes the value.
  bool in_register(const FlowUse& use) const {
    return value(use.value).alias_of < 0 && use.view.kind != UseView::Kind::opaque;
  }

  /// The first group that a node may join, by what it reads and overwrites.
  int earliest(const FlowNode& n) const {
    int first = 0;
    for (const FlowUse& use : n.inputs) {
      if (use.value >= 0) {
        first = std::max(first, maker(use.value) + (in_register(use) ? 0 : 1));
      }
    }
    for (const int out : n.outputs) {
      if (value(out).overwrites >= 0) {
        first = std::max(first, last_reader_[static_cast<std::size_t>(value(out).group)]);
      }
    }
    return first;
  }

  void place(int number) {
    const FlowNode& n = node(number);
    const bool kernel = fuses(n) || n.op->kind == OpKind::reduction;
    if (kernel) {
      const int first = earliest(n);
      const int count = static_cast<int>(result_.groups.size());
      if (first < count && first >= 0 && try_join(number, first)) {
        return;
      }
      for (int g = count - 1; g > first; --g) {
        if (try_join(number, g)) {
          return;
        }
      }
    }
    open(number, kernel);
  }

  bool try_join(int number, int g) {
    Group& group = result_.groups[static_cast<std::size_t>(g)];
    const FlowNode& n = node(number);
    if (group.nodes.size() >= kMaxNodes ||
        group.loads + static_cast<int>(n.inputs.size()) > kMaxLoads ||
        group.kind == Step::Kind::function) {
      return false;
    }
    const bool reduction = n.op->kind == OpKind::reduction;
    if (group.kind == Step::Kind::contraction &&
        (reduction || n.op->uses_index || n.in_place || !makes_any_of(n.inputs, g))) {
      return false;
    }
    if (!hazard_free(n, group, g)) {
      return false;
    }
    const std::optional<Placement> placement =
        reduction ? place_reduction(n, group, g) : place_elementwise(n, group, g);
    if (!placement) {
      return false;
    }
    join(number, g, *placement);
    return true;
  }

  bool makes_any_of(std::span<const FlowUse> uses, int g) const {
    return std::any_of(uses.begin(), uses.end(),
                       [&](const FlowUse& use) { return use.value >= 0 && maker(use.value) == g; });
  }

  /// In place and reductions do not mix: a later phase could read what an earlier one overwrote.
  bool hazard_free(const FlowNode& n, const Group& group, int g) const {
    if (group.writes_in_place && n.op->kind == OpKind::reduction) {
      return false;
    }
    if (!n.in_place) {
      return true;
    }
    if (group.reduces) {
      return false;
    }
    // Everything in this group that reads the overwritten storage must read the same element.
    for (const int m : group.nodes) {
      for (const FlowUse& use : node(m).inputs) {
        for (const int out : n.outputs) {
          const bool same_storage = use.value >= 0 && value(use.value).group >= 0 &&
                                    value(use.value).group == value(out).group;
          if (same_storage &&
              (use.value != value(out).overwrites || use.view.kind != UseView::Kind::identity ||
               use.view.rank != group.rank)) {
            return false;
          }
        }
      }
    }
    return last_reader_ok(n, g);
  }

  bool last_reader_ok(const FlowNode& n, int g) const {
    return std::all_of(n.outputs.begin(), n.outputs.end(), [&](int out) {
      return last_reader_[static_cast<std::size_t>(value(out).group)] <= g;
    });
  }

  /// Placement over the whole space, if the shape is the space's.
  std::optional<Placement> whole(const Symbols& symbols, int rank, const Group& group) const {
    if (rank != group.rank ||
        !std::equal(symbols.begin(), symbols.begin() + rank, group.space.begin())) {
      return std::nullopt;
    }
    return whole_placement(rank);
  }

  /// Placement over the rows alone: the reduced axes are of size 1, or missing.
  std::optional<Placement> rows(const Symbols& symbols, int rank, const Group& group) const {
    if (!group.reduces) {
      return std::nullopt;
    }
    for (const bool keep : {true, false}) {
      Placement placement;
      placement.row = true;
      int d = 0;
      bool fits = true;
      for (int f = 0; f < group.rank && fits; ++f) {
        const bool reduced = ((group.reduced >> f) & 1U) != 0;
        if (reduced && !keep) {
          continue;
        }
        fits = d < rank && symbols[static_cast<std::size_t>(d)] ==
                               (reduced ? kOne : group.space[static_cast<std::size_t>(f)]);
        if (fits) {
          placement.axis[static_cast<std::size_t>(d++)] = static_cast<std::int8_t>(f);
        }
      }
      if (fits && d == rank) {
        return placement;
      }
    }
    return std::nullopt;
  }

  /// Whether every operand that the group makes lies under the result element by element.
  bool operands_fit(std::span<const FlowUse> uses, int rank, const Placement& placement,
                    int g) const {
    const int space_rank = result_.groups[static_cast<std::size_t>(g)].rank;
    for (const FlowUse& use : uses) {
      if (use.value < 0 || value(use.value).alias_of >= 0 || maker(use.value) != g) {
        continue;
      }
      const Placement& made = result_.placements[static_cast<std::size_t>(use.value)];
      if (placement.row && !made.row) {
        return false;
      }
      const int lead = rank - use.view.rank;
      for (int d = 0; d < use.view.rank; ++d) {
        const bool axes = use.view.kind == UseView::Kind::axes;
        const int axis = axes ? use.view.axis[static_cast<std::size_t>(d)] : d;
        if (axis < 0 || ((value(use.value).ones >> axis) & 1U) != 0) {
          continue;
        }
        if (made.axis[static_cast<std::size_t>(axis)] !=
            placement.axis[static_cast<std::size_t>(d + lead)]) {
          return false;
        }
      }
      // An element value must be used with all its axes: one that is fixed would be a different
      // element.
      if (!made.row && use.view.kind != UseView::Kind::identity && use.view.rank < space_rank) {
        return false;
      }
    }
    return true;
  }

  std::optional<Placement> place_elementwise(const FlowNode& n, const Group& group, int g) const {
    const int out = n.outputs[0];
    const int rank = value(out).rank;
    const Symbols symbols = symbols_.of_value(out);
    std::optional<Placement> placement = whole(symbols, rank, group);
    if (placement && n.op->uses_index && !are_trailing(group.reduced, group.rank)) {
      return std::nullopt;
    }
    if (!placement) {
      placement = n.op->uses_index || n.in_place ? std::nullopt : rows(symbols, rank, group);
    }
    return placement && operands_fit(n.inputs, rank, *placement, g) ? placement : std::nullopt;
  }

  /// Whether these axes are the last ones, so that a kernel that reduces them numbers its elements
  /// in row-major order.
  static bool are_trailing(std::uint32_t axes, int rank) {
    const std::uint32_t kept = ((1U << rank) - 1U) & ~axes;
    return (kept & (kept + 1U)) == 0;
  }

  std::optional<Placement> place_reduction(const FlowNode& n, const Group& group, int g) const {
    const std::uint32_t axes = reduced_axes(n);
    if (group.reduces && axes != group.reduced) {
      return std::nullopt;
    }
    for (const int m : group.nodes) {
      if (node(m).op->uses_index && !group.reduces && !are_trailing(axes, group.rank)) {
        return std::nullopt;
      }
    }
    const FlowUse& use = n.inputs[0];
    const std::optional<Placement> input = whole(symbols_.of_use(use), use.view.rank, group);
    const std::span<const FlowUse> uses(n.inputs);
    if (!input || !operands_fit(uses.first(1), use.view.rank, *input, g) ||
        makes_any_of(uses.subspan(1), g)) {
      return std::nullopt;
    }
    return result_placement(n, axes);
  }

  static Placement result_placement(const FlowNode& n, std::uint32_t axes) {
    Placement placement;
    placement.row = true;
    std::size_t d = 0;
    const bool keep = n.attrs[1].as_bool();
    for (int f = 0; f < n.inputs[0].view.rank; ++f) {
      if (keep || ((axes >> f) & 1U) == 0) {
        placement.axis[d++] = static_cast<std::int8_t>(f);
      }
    }
    return placement;
  }

  void open(int number, bool kernel) {
    const FlowNode& n = node(number);
    Group group;
    Placement placement;
    if (n.op->kind == OpKind::reduction) {
      group.rank = n.inputs[0].view.rank;
      group.space = symbols_.of_use(n.inputs[0]);
      group.space_use = n.inputs[0];
      for (int d = 0; d < group.rank; ++d) {
        int& symbol = group.space[static_cast<std::size_t>(d)];
        symbol = symbol == kUnknown ? kUnknown - 1 - d : symbol;  // equal to nothing
      }
      placement = result_placement(n, reduced_axes(n));
    } else {
      group.space_value = n.outputs[0];
      group.rank = value(n.outputs[0]).rank;
      group.space = symbols_.of_value(n.outputs[0]);
      placement = whole_placement(group.rank);
    }
    if (!kernel) {
      group.kind =
          n.op->kind == OpKind::contraction ? Step::Kind::contraction : Step::Kind::function;
    }
    const int g = place_of_new(n, kernel);
    insert_group(std::move(group), g);
    join(number, g, placement);
  }

  /// Where a new group runs: before the first contraction that it does not need, so that the
  /// contraction's epilogue can read what it makes; else last.
  int place_of_new(const FlowNode& n, bool kernel) const {
    const int count = static_cast<int>(result_.groups.size());
    if (!kernel || n.in_place) {
      return count;
    }
    int first = 0;
    for (const FlowUse& use : n.inputs) {
      first = use.value >= 0 ? std::max(first, maker(use.value) + 1) : first;
    }
    while (first < count &&
           result_.groups[static_cast<std::size_t>(first)].kind != Step::Kind::contraction) {
      ++first;
    }
    return first;
  }

  void insert_group(Group group, int at) {
    result_.groups.insert(result_.groups.begin() + at, std::move(group));
    const auto shift = [at](int& g) { g += g >= at ? 1 : 0; };
    std::for_each(result_.group_of_node.begin(), result_.group_of_node.end(), shift);
    std::for_each(last_reader_.begin(), last_reader_.end(), shift);
  }

  void join(int number, int g, const Placement& placement) {
    const FlowNode& n = node(number);
    Group& group = result_.groups[static_cast<std::size_t>(g)];
    group.nodes.push_back(number);
    group.loads += static_cast<int>(n.inputs.size());
    group.writes_in_place = group.writes_in_place || n.in_place;
    if (n.op->kind == OpKind::reduction) {
      group.reduces = true;
      group.reduced = reduced_axes(n);
    }
    result_.group_of_node[static_cast<std::size_t>(number)] = g;
    for (const int out : n.outputs) {
      result_.placements[static_cast<std::size_t>(out)] = placement;
    }
  }

  void note_reads(int number) {
    const int g = result_.group_of_node[static_cast<std::size_t>(number)];
    for (const FlowUse& use : node(number).inputs) {
      if (use.value >= 0 && value(use.value).group >= 0) {
        int& last = last_reader_[static_cast<std::size_t>(value(use.value).group)];
        last = std::max(last, g);
      }
    }
    for (const int out : node(number).outputs) {
      if (value(out).overwrites >= 0) {
        int& last = last_reader_[static_cast<std::size_t>(value(out).group)];
        last = std::max(last, g);
      }
    }
  }

  /// Values that leave the registers of their group.
  void mark_stored() {
    for (std::size_t n = 0; n < flow_.nodes.size(); ++n) {
      const int g = result_.group_of_node[n];
      const Group& group = result_.groups[static_cast<std::size_t>(g)];
      for (const FlowUse& use : flow_.nodes[n].inputs) {
        if (use.value < 0) {
          continue;
        }
        if (maker(use.value) != g || group.kind == Step::Kind::function || !in_register(use)) {
          result_.stored[static_cast<std::size_t>(base_of(use.value))] = 1;
        }
      }
      for (const int out : flow_.nodes[n].outputs) {
        if (group.kind == Step::Kind::function && !flow_.nodes[n].op->skips_unread) {
          result_.stored[static_cast<std::size_t>(out)] = 1;
        }
      }
    }
  }

  /// A value whose memory a later node of its kernel takes whole is not stored before.
  void drop_overwritten() {
    for (const FlowNode& n : flow_.nodes) {
      if (!n.in_place) {
        continue;
      }
      for (std::size_t o = 0; o < n.outputs.size(); ++o) {
        const int before = value(n.outputs[o]).overwrites;
        if (before >= 0 && value(before).node >= 0 && maker(before) == maker(n.outputs[o]) &&
            n.inputs[o].view.kind == UseView::Kind::identity) {
          result_.stored[static_cast<std::size_t>(before)] = 0;
        }
      }
    }
  }

  const Flow& flow_;
  const SymbolTable& symbols_;
  Grouping result_;
  std::vector<int> last_reader_;  // for each storage: the last group that reads or writes it
};

}  // namespace

Placement whole_placement(int rank) {
  Placement placement;
  for (int d = 0; d < rank; ++d) {
    placement.axis[static_cast<std::size_t>(d)] = static_cast<std::int8_t>(d);
  }
  return placement;
}

Grouping group_nodes(const Flow& flow, const SymbolTable& symbols) {
  return Grouper(flow, symbols).run();
}

}  // namespace rondo::codegen
