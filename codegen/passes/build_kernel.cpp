#include "codegen/passes/build_kernel.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/op/op.h"

namespace rondo::codegen {
namespace {

/// Which nodes of an expression the results depend on.
std::vector<char> used_nodes(const ExprGraph& graph, const std::vector<Expr>& results) {
  std::vector<char> used(graph.nodes().size(), 0);
  for (const Expr result : results) {
    used[static_cast<std::size_t>(result.id())] = 1;
  }
  for (std::size_t n = used.size(); n-- > 0;) {
    const ExprNode& expr = graph.nodes()[n];
    if (used[n] == 0 || expr.kind != ExprNode::Kind::op) {
      continue;
    }
    for (const int operand : {expr.a, expr.b, expr.c}) {
      if (operand >= 0) {
        used[static_cast<std::size_t>(operand)] = 1;
      }
    }
  }
  return used;
}

class KernelBuilder {
 public:
  KernelBuilder(const Flow& flow, const Grouping& grouping, int g)
      : flow_(flow),
        grouping_(grouping),
        number_(g),
        group_(grouping.groups[static_cast<std::size_t>(g)]),
        registers_(flow.values.size(), -1) {
    plan_.rank = group_.rank;
    plan_.reduced = group_.reduces ? group_.reduced : 0;
  }

  KernelPlan build() {
    std::size_t first = 0;
    if (group_.kind == Step::Kind::contraction) {
      load_tile(group_.nodes[0]);
      first = 1;
    }
    for (std::size_t i = first; i < group_.nodes.size(); ++i) {
      emit(flow_.nodes[static_cast<std::size_t>(group_.nodes[i])]);
    }
    plan_.nodes = static_cast<int>(group_.nodes.size() - first);
    mark_spills(plan_.kernel);
    verify(plan_.kernel);
    return std::move(plan_);
  }

 private:
  const FlowValue& value(int v) const { return flow_.values[static_cast<std::size_t>(v)]; }
  const Instr& code(int i) const { return plan_.kernel.code[static_cast<std::size_t>(i)]; }

  /// The product's tile holds the compute dtype; the value is rounded like any result of an op.
  void load_tile(int node) {
    const int out = flow_.nodes[static_cast<std::size_t>(node)].outputs[0];
    const Dtype dtype = value(out).dtype;
    OperandRef ref;
    ref.value = out;
    ref.view.rank = value(out).rank;
    lay_under(ref, whole_placement(value(out).rank), 0);
    plan_.tile_operand = static_cast<int>(plan_.operands.size());
    plan_.operands.push_back(ref);
    plan_.kernel.operands.push_back({compute_dtype(dtype), Level::element, false});
    const int loaded = push({.kind = InstrKind::load,
                             .reg = reg_of(dtype),
                             .level = Level::element,
                             .operand = plan_.tile_operand});
    ExprGraph graph;
    const Expr in = graph.input(0, reg_of(dtype));
    registers_[static_cast<std::size_t>(out)] =
        translate(graph, fn::round_to(in, dtype), {&loaded, 1});
    store(out);
  }

  void emit(const FlowNode& node) {
    if (node.op->kind == OpKind::reduction) {
      emit_reduction(node);
    } else {
      emit_elementwise(node);
    }
    for (const int out : node.outputs) {
      store(out);
    }
  }

  // -- instructions ------------------------------------------------------------------------------

  int push(Instr instr) {
    std::vector<Instr>& list = plan_.kernel.code;
    int phase = instr.phase;
    for (const int operand : {instr.a, instr.b, instr.c}) {
      if (operand >= 0) {
        const Instr& made = list[static_cast<std::size_t>(operand)];
        phase = std::max(phase, made.phase + (made.kind == InstrKind::reduce ? 1 : 0));
        if (made.level == Level::element && instr.kind != InstrKind::reduce) {
          instr.level = Level::element;
        }
      }
    }
    instr.phase = static_cast<std::uint8_t>(phase);
    if (instr.kind != InstrKind::store) {
      for (std::size_t i = 0; i < list.size(); ++i) {
        if (same(list[i], instr)) {
          return static_cast<int>(i);
        }
      }
    }
    list.push_back(instr);
    return static_cast<int>(list.size()) - 1;
  }

  static bool same(const Instr& x, const Instr& y) {
    return x.kind == y.kind && x.scalar == y.scalar && x.reduce == y.reduce && x.reg == y.reg &&
           x.level == y.level && x.operand == y.operand && x.a == y.a && x.b == y.b && x.c == y.c &&
           x.bits == y.bits;
  }

  /// Appends the nodes of an expression; `inputs[i]` is the instruction of its input i.
  int translate(const ExprGraph& graph, Expr result, std::span<const int> inputs) {
    std::vector<int> numbers;
    for (const ExprNode& node : graph.nodes()) {
      const auto at = [&](int i) { return i < 0 ? -1 : numbers[static_cast<std::size_t>(i)]; };
      switch (node.kind) {
        case ExprNode::Kind::input:
          numbers.push_back(inputs[static_cast<std::size_t>(node.a)]);
          break;
        case ExprNode::Kind::constant:
          numbers.push_back(
              push({.kind = InstrKind::constant, .reg = node.reg, .bits = node.bits}));
          break;
        default:
          numbers.push_back(push({.kind = InstrKind::op,
                                  .scalar = node.op,
                                  .reg = node.reg,
                                  .a = at(node.a),
                                  .b = at(node.b),
                                  .c = at(node.c)}));
      }
    }
    return numbers[static_cast<std::size_t>(result.id())];
  }

  int scalar(const ScalarRef& ref) {
    int number = -1;
    for (std::size_t i = 0; i < plan_.scalars.size(); ++i) {
      const ScalarRef& known = plan_.scalars[i];
      if (known.count == ref.count && known.value == ref.value && known.reg == ref.reg) {
        number = static_cast<int>(i);
      }
    }
    if (number < 0) {
      number = static_cast<int>(plan_.scalars.size());
      plan_.scalars.push_back(ref);
      plan_.kernel.scalars = number + 1;
    }
    return push({.kind = InstrKind::scalar, .reg = ref.reg, .operand = number});
  }

  // -- memory ------------------------------------------------------------------------------------

  /// Lays axis d of an operand under axis placement.axis[lead + d] of the space.
  static void lay_under(OperandRef& ref, const Placement& placement, int lead) {
    for (int d = 0; d < ref.view.rank; ++d) {
      const int axis = placement.axis[static_cast<std::size_t>(lead + d)];
      ref.axis[static_cast<std::size_t>(axis)] = static_cast<std::int8_t>(d);
    }
  }

  bool varies_along_reduced(const OperandRef& ref) const {
    for (int f = 0; f < plan_.rank; ++f) {
      const int axis = ref.axis[static_cast<std::size_t>(f)];
      const bool reduced = ((plan_.reduced >> f) & 1U) != 0;
      if (reduced && axis >= 0 && ((ref.view.ones >> axis) & 1U) == 0) {
        return true;
      }
    }
    return false;
  }

  int memory_operand(const OperandRef& ref, bool written, Level level) {
    for (std::size_t i = 0; i < plan_.operands.size(); ++i) {
      const OperandRef& known = plan_.operands[i];
      const bool same_place = known.value == ref.value && known.view == ref.view &&
                              known.axis == ref.axis && plan_.kernel.operands[i].written == written;
      const bool opaque = ref.view.kind == UseView::Kind::opaque;
      if (same_place && static_cast<int>(i) != plan_.tile_operand &&
          (!opaque || (known.call == ref.call && known.slot == ref.slot))) {
        return static_cast<int>(i);
      }
    }
    plan_.operands.push_back(ref);
    plan_.kernel.operands.push_back({value(ref.value).dtype, level, written});
    return static_cast<int>(plan_.operands.size()) - 1;
  }

  /// Operand `slot` of the node, in the register class of its own dtype. It broadcasts to a value
  /// of that placement and rank.
  int operand(const FlowNode& node, std::size_t slot, const Placement& placement, int rank) {
    const FlowUse& use = node.inputs[slot];
    const bool made_here =
        value(use.value).alias_of < 0 && value(use.value).node >= 0 &&
        grouping_.group_of_node[static_cast<std::size_t>(value(use.value).node)] == number_;
    if (made_here && use.view.kind != UseView::Kind::opaque) {
      return registers_[static_cast<std::size_t>(use.value)];
    }
    OperandRef ref;
    ref.value = use.value;
    ref.view = use.view;
    ref.call = node.call;
    ref.slot = static_cast<int>(slot);
    lay_under(ref, placement, rank - use.view.rank);
    const bool element = !group_.reduces || varies_along_reduced(ref);
    const Level level = element ? Level::element : Level::row;
    const int number = memory_operand(ref, false, level);
    return push({.kind = InstrKind::load,
                 .reg = reg_of(value(use.value).dtype),
                 .level = level,
                 .operand = number});
  }

  /// Operand `slot` converted to `common` (16-bit floats widened); immediates come as parameters.
  int promoted(const FlowNode& node, std::size_t slot, Dtype common, const Placement& placement,
               int rank) {
    const FlowUse& use = node.inputs[slot];
    const FlowValue& v = value(use.value);
    const Reg reg = reg_of(common);
    if (v.immediate) {
      return scalar({false, use.value, reg});
    }
    const int loaded = operand(node, slot, placement, rank);
    if (v.dtype == common) {
      return loaded;
    }
    ExprGraph graph;
    const Expr in = graph.input(0, reg_of(v.dtype));
    return translate(graph, fn::round_to(in, common), {&loaded, 1});
  }

  void store(int v) {
    if (grouping_.stored[static_cast<std::size_t>(v)] == 0) {
      return;
    }
    const Placement& placement = grouping_.placements[static_cast<std::size_t>(v)];
    OperandRef ref;
    ref.value = v;
    ref.view.rank = value(v).rank;
    ref.view.ones = value(v).ones;
    lay_under(ref, placement, 0);
    const Level level = group_.reduces && placement.row ? Level::row : Level::element;
    const int number = memory_operand(ref, true, level);
    push({.kind = InstrKind::store,
          .reg = reg_of(value(v).dtype),
          .level = level,
          .operand = number,
          .a = registers_[static_cast<std::size_t>(v)]});
  }

  // -- nodes -------------------------------------------------------------------------------------

  Dtype common_dtype(const FlowNode& node) const {
    std::vector<Tensor> like;
    for (const FlowUse& use : node.inputs) {
      if (use.value < 0) {
        like.emplace_back();
      } else if (value(use.value).immediate) {
        like.push_back(Tensor::immediate(Scalar(0), value(use.value).dtype, value(use.value).weak));
      } else {
        like.push_back(Tensor::empty(Shape::filled(use.view.rank, 1), value(use.value).dtype,
                                     {DeviceType::meta, 0}));
      }
    }
    return elementwise_common({*node.op, like, node.attrs});
  }

  /// The dtype in which an elementwise node computes with operand `slot`.
  Dtype operand_dtype(const FlowNode& node, std::size_t slot, Dtype common) const {
    const bool own = ((node.op->elementwise.own_dtype >> slot) & 1U) != 0;
    return own ? value(node.inputs[slot].value).dtype : common;
  }

  void emit_elementwise(const FlowNode& node) {
    const Dtype common = common_dtype(node);
    ExprGraph graph;
    std::vector<Expr> inputs;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const bool present = node.inputs[i].value >= 0;
      inputs.push_back(
          present ? graph.input(static_cast<int>(i), reg_of(operand_dtype(node, i, common)))
                  : Expr());
    }
    if (node.op->uses_index) {
      inputs.push_back(graph.input(static_cast<int>(inputs.size()), Reg::i64));
    }
    ExprContext context{inputs, node.attrs, common, {}};
    node.op->elementwise.build(context);
    std::vector<Expr> results;
    for (std::size_t o = 0; o < node.outputs.size(); ++o) {
      results.push_back(fn::round_to(context.outputs[o], value(node.outputs[o]).dtype));
    }
    const std::vector<int> loaded = load_inputs(node, graph, results, common);
    for (std::size_t o = 0; o < node.outputs.size(); ++o) {
      registers_[static_cast<std::size_t>(node.outputs[o])] = translate(graph, results[o], loaded);
    }
  }

  /// The instructions of a node's inputs (operands, then the index). Those that no result depends
  /// on are not loaded; what is made of them is still translated, so constants stand for them.
  std::vector<int> load_inputs(const FlowNode& node, const ExprGraph& graph,
                               const std::vector<Expr>& results, Dtype common) {
    const Placement& placement = grouping_.placements[static_cast<std::size_t>(node.outputs[0])];
    const int rank = value(node.outputs[0]).rank;
    const std::vector<char> used = used_nodes(graph, results);
    std::vector<int> loaded(node.inputs.size() + 1, -1);
    for (std::size_t n = used.size(); n-- > 0;) {
      const ExprNode& expr = graph.nodes()[n];
      if (used[n] == 0 || expr.kind != ExprNode::Kind::input) {
        continue;
      }
      const auto slot = static_cast<std::size_t>(expr.a);
      loaded[slot] =
          slot < node.inputs.size()
              ? promoted(node, slot, operand_dtype(node, slot, common), placement, rank)
              : push({.kind = InstrKind::index, .reg = Reg::i64, .level = Level::element});
    }
    for (std::size_t n = 0; n < used.size(); ++n) {
      const ExprNode& expr = graph.nodes()[n];
      if (used[n] == 0 && expr.kind == ExprNode::Kind::input) {
        loaded[static_cast<std::size_t>(expr.a)] =
            push({.kind = InstrKind::constant, .reg = expr.reg});
      }
    }
    return loaded;
  }

  static ReduceKind reduce_kind(Combine combine) {
    constexpr ReduceKind kKinds[] = {ReduceKind::sum,     ReduceKind::product, ReduceKind::maximum,
                                     ReduceKind::minimum, ReduceKind::argmax,  ReduceKind::argmin};
    return kKinds[static_cast<int>(combine)];
  }

  void emit_reduction(const FlowNode& node) {
    const ReductionRule& rule = node.op->reduction;
    const int out = node.outputs[0];
    const Dtype in_dtype = value(node.inputs[0].value).dtype;
    const Dtype dtype = reduction_compute_dtype(*node.op, in_dtype, value(out).dtype);
    int element = promoted(node, 0, dtype, whole_placement(plan_.rank), plan_.rank);
    if (rule.pre != nullptr) {
      element = apply(rule.pre, {element}, node, dtype);
    }
    // A value that does not vary along the row is still combined once for each element.
    const ReduceKind kind = reduce_kind(rule.combine);
    int result = push({.kind = InstrKind::reduce,
                       .reduce = kind,
                       .reg = gives_place(kind) ? Reg::i64 : code(element).reg,
                       .a = element});
    if (rule.post != nullptr) {
      const Reg reg = code(result).reg;
      std::vector<int> inputs{result, scalar({true, -1, reg})};
      for (std::size_t i = 1; i < node.inputs.size(); ++i) {
        inputs.push_back(promoted(
            node, i, dtype, grouping_.placements[static_cast<std::size_t>(out)], value(out).rank));
      }
      result = apply(rule.post, inputs, node, dtype);
    }
    ExprGraph graph;
    const Expr in = graph.input(0, code(result).reg);
    registers_[static_cast<std::size_t>(out)] =
        translate(graph, fn::round_to(in, value(out).dtype), {&result, 1});
  }

  int apply(BuildRule rule, const std::vector<int>& inputs, const FlowNode& node, Dtype dtype) {
    ExprGraph graph;
    std::vector<Expr> expressions;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      expressions.push_back(graph.input(static_cast<int>(i), code(inputs[i]).reg));
    }
    ExprContext context{expressions, node.attrs, dtype, {}};
    rule(context);
    return translate(graph, context.outputs[0], inputs);
  }

  const Flow& flow_;
  const Grouping& grouping_;
  int number_;
  const Group& group_;
  std::vector<int> registers_;  // instruction that holds a value, -1 if none does
  KernelPlan plan_;
};

/// Whether computing the value again costs more than to write and read it.
bool is_expensive(const Instr& in) {
  if (in.kind != InstrKind::op) {
    return false;
  }
  switch (scalar_op_info(in.scalar).kind) {
    case ScalarKind::random:
      return true;
    case ScalarKind::floating:
      return in.scalar != ScalarOp::floor && in.scalar != ScalarOp::ceil &&
             in.scalar != ScalarOp::trunc && in.scalar != ScalarOp::fma;
    default:
      return in.scalar == ScalarOp::div || in.scalar == ScalarOp::pow ||
             in.scalar == ScalarOp::remainder || in.scalar == ScalarOp::fmod ||
             in.scalar == ScalarOp::floor_div;
  }
}

/// Walks back from a use in `phase` to the first expensive values of earlier phases. `seen` holds
/// what has been visited for this phase: without it the walk doubles at each value used twice.
void spill_back(Kernel& kernel, int i, int phase, std::vector<char>& seen) {
  if (i < 0 || std::exchange(seen[static_cast<std::size_t>(i)], char{1}) != 0) {
    return;
  }
  Instr& in = kernel.code[static_cast<std::size_t>(i)];
  if (in.level == Level::row) {
    return;
  }
  if (in.phase < phase && is_expensive(in)) {
    in.spill = true;
    return;
  }
  for (const int use : {in.a, in.b, in.c}) {
    spill_back(kernel, use, phase, seen);
  }
}

}  // namespace

void mark_spills(Kernel& kernel) {
  const int phases = kernel.phases();
  for (int phase = 1; phase < phases; ++phase) {
    std::vector<char> seen(kernel.code.size(), 0);
    for (std::size_t i = 0; i < kernel.code.size(); ++i) {
      const Instr& in = kernel.code[i];
      const bool root = in.kind == InstrKind::reduce ||
                        (in.kind == InstrKind::store && in.level == Level::element);
      if (root && in.phase == phase) {
        spill_back(kernel, in.a, phase, seen);
        spill_back(kernel, in.b, phase, seen);
      }
    }
  }
}

Step build_step(const Flow& flow, const Grouping& grouping, int g) {
  const Group& group = grouping.groups[static_cast<std::size_t>(g)];
  Step step;
  step.kind = group.kind;
  step.node = group.nodes[0];
  step.space_use = group.space_use;
  step.space_value = group.space_value;
  const bool has_epilogue = group.kind == Step::Kind::contraction && group.nodes.size() > 1;
  if (group.kind == Step::Kind::kernel || has_epilogue) {
    step.plan = KernelBuilder(flow, grouping, g).build();
  }
  return step;
}

}  // namespace rondo::codegen
