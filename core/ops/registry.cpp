// The table of built-in ops: the only place where their declarations become rows.
#include <mutex>

#include "core/ops/all.h"

namespace rondo {

template <class Op>
const OpInfo& info() {
  static const OpInfo& row = OpTable::instance().add(make_info<Op>());
  return row;
}

namespace {

/// Other files call info<Op>(), so its instances must stay: a table that is used holds them.
template <class... Ops>
void register_family(OpList<Ops...> /*family*/) {
  [[gnu::used]] static const OpInfo& (*const rows[])() = {&info<Ops>...};
  for (const auto& row : rows) {
    row();
  }
}

}  // namespace

void register_builtin_ops() {
  static std::once_flag once;
  std::call_once(once, [] {
    register_family(ActivationOps{});
    register_family(AdvancedIndexOps{});
    register_family(ArithmeticOps{});
    register_family(BitwiseOps{});
    register_family(BlendOps{});
    register_family(BoundsOps{});
    register_family(CompareOps{});
    register_family(ConvolutionOps{});
    register_family(CreateOps{});
    register_family(IndexOps{});
    register_family(JoinOps{});
    register_family(LinearOps{});
    register_family(LossOps{});
    register_family(MathOps{});
    register_family(MatmulOps{});
    register_family(NormalizeOps{});
    register_family(OptimizeOps{});
    register_family(OrderOps{});
    register_family(RandomOps{});
    register_family(ReduceOps{});
    register_family(ReshapeOps{});
    register_family(RoundingOps{});
    register_family(ScatterOps{});
    register_family(StatisticsOps{});
    register_family(TrigonometryOps{});
    register_family(WindowOps{});
  });
}

}  // namespace rondo
