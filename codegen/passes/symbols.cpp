#include "codegen/passes/symbols.h"

#include <algorithm>

#include "core/op/op.h"

namespace rondo::codegen {

SymbolTable::SymbolTable(const Flow& flow)
    : flow_(flow), parent_{kOne}, values_(flow.values.size()) {
  for (std::size_t v = 0; v < flow.values.size(); ++v) {
    if (flow.values[v].node < 0) {
      fill_fresh(static_cast<int>(v));
    }
  }
  for (const FlowNode& node : flow.nodes) {
    infer(node);
  }
}

int SymbolTable::fresh() {
  parent_.push_back(static_cast<int>(parent_.size()));
  return parent_.back();
}

int SymbolTable::find(int symbol) const {
  while (parent_[static_cast<std::size_t>(symbol)] != symbol) {
    symbol = parent_[static_cast<std::size_t>(symbol)];
  }
  return symbol;
}

int SymbolTable::unify(int a, int b) {
  a = find(a);
  b = find(b);
  parent_[static_cast<std::size_t>(std::max(a, b))] = std::min(a, b);
  return std::min(a, b);
}

void SymbolTable::fill_fresh(int value) {
  const FlowValue& v = flow_.values[static_cast<std::size_t>(value)];
  for (int d = 0; d < v.rank; ++d) {
    const bool one = ((v.ones >> d) & 1U) != 0;
    values_[static_cast<std::size_t>(value)][static_cast<std::size_t>(d)] = one ? kOne : fresh();
  }
}

Symbols SymbolTable::of_value(int value) const {
  Symbols symbols = values_[static_cast<std::size_t>(value)];
  for (int d = 0; d < flow_.values[static_cast<std::size_t>(value)].rank; ++d) {
    symbols[static_cast<std::size_t>(d)] = find(symbols[static_cast<std::size_t>(d)]);
  }
  return symbols;
}

Symbols SymbolTable::of_use(const FlowUse& use) const {
  if (use.view.kind == UseView::Kind::identity) {
    return of_value(use.value);
  }
  const Symbols base = of_value(use.value);
  Symbols symbols{};
  for (std::size_t d = 0; d < static_cast<std::size_t>(use.view.rank); ++d) {
    const bool one = ((use.view.ones >> d) & 1U) != 0;
    const int axis = use.view.kind == UseView::Kind::axes ? use.view.axis[d] : -1;
    symbols[d] = one ? kOne : (axis >= 0 ? base[static_cast<std::size_t>(axis)] : kUnknown);
  }
  return symbols;
}

void SymbolTable::infer(const FlowNode& node) {
  switch (node.op->kind) {
    case OpKind::elementwise:
    case OpKind::random:
      infer_elementwise(node);
      return;
    case OpKind::reduction:
      infer_reduction(node);
      return;
    default:
      break;
  }
  if (node.op->contraction == Contraction::matmul) {
    infer_matmul(node);
    return;
  }
  for (const int v : node.outputs) {
    fill_fresh(v);
  }
}

void SymbolTable::infer_elementwise(const FlowNode& node) {
  for (const int out : node.outputs) {
    fill_fresh(out);
    const int rank = flow_.values[static_cast<std::size_t>(out)].rank;
    for (const FlowUse& use : node.inputs) {
      if (use.value < 0) {
        continue;
      }
      const Symbols symbols = of_use(use);
      const int lead = rank - use.view.rank;
      for (int d = 0; d < use.view.rank; ++d) {
        const int symbol = symbols[static_cast<std::size_t>(d)];
        int& mine = values_[static_cast<std::size_t>(out)][static_cast<std::size_t>(d + lead)];
        if (symbol > kOne && mine != kOne) {
          mine = unify(mine, symbol);
        }
      }
    }
  }
}

std::uint32_t reduced_axes(const FlowNode& node) {
  return reduction_axes(node.attrs[0], node.inputs[0].view.rank, node.op->name);
}

void SymbolTable::infer_reduction(const FlowNode& node) {
  const int out = node.outputs[0];
  fill_fresh(out);
  const std::uint32_t axes = reduced_axes(node);
  const bool keep = node.attrs[1].as_bool();
  const Symbols in = of_use(node.inputs[0]);
  std::size_t to = 0;
  for (std::size_t d = 0; d < static_cast<std::size_t>(node.inputs[0].view.rank); ++d) {
    const bool reduced = ((axes >> d) & 1U) != 0;
    if (reduced && !keep) {
      continue;
    }
    int& mine = values_[static_cast<std::size_t>(out)][to++];
    mine = reduced ? kOne : (in[d] == kUnknown ? mine : in[d]);
  }
}

void SymbolTable::infer_matmul(const FlowNode& node) {
  const int out = node.outputs[0];
  fill_fresh(out);
  const auto a_rank = static_cast<std::size_t>(node.inputs[0].view.rank);
  const auto b_rank = static_cast<std::size_t>(node.inputs[1].view.rank);
  const Symbols a = of_use(node.inputs[0]);
  const Symbols b = of_use(node.inputs[1]);
  std::size_t d = static_cast<std::size_t>(flow_.values[static_cast<std::size_t>(out)].rank);
  Symbols& mine = values_[static_cast<std::size_t>(out)];
  const auto set = [&](int symbol) {
    --d;
    if (symbol != kUnknown) {
      mine[d] = symbol;
    }
  };
  if (b_rank > 1) {
    set(b[b_rank - 1]);
  }
  if (a_rank > 1) {
    set(a[a_rank - 2]);
  }
  // Leading axes that only one operand has are that operand's; shared ones stay fresh unless both
  // agree.
  std::size_t i = 3;
  while (d > 0) {
    const int a_size = i <= a_rank ? a[a_rank - i] : kOne;
    const int b_size = i <= b_rank ? b[b_rank - i] : kOne;
    set(a_size == kOne ? b_size : (b_size == kOne || a_size == b_size ? a_size : kUnknown));
    ++i;
  }
}

}  // namespace rondo::codegen
