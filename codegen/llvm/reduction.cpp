#include "codegen/llvm/reduction.h"

#include <bit>
#include <limits>
#include <numeric>

namespace rondo::codegen {
namespace {

bool is_upper(ReduceKind kind) {
  return kind == ReduceKind::maximum || kind == ReduceKind::argmax;
}

std::uint64_t one_bits(Reg reg) {
  switch (reg) {
    case Reg::f32:
      return std::bit_cast<std::uint32_t>(1.0F);
    case Reg::f64:
      return std::bit_cast<std::uint64_t>(1.0);
    default:
      return 1;
  }
}

/// The value that every other one is above (`upper`) or below.
std::uint64_t extreme_bits(Reg reg, bool upper) {
  switch (reg) {
    case Reg::f32:
      return std::bit_cast<std::uint32_t>(upper ? -std::numeric_limits<float>::infinity()
                                                : std::numeric_limits<float>::infinity());
    case Reg::f64:
      return std::bit_cast<std::uint64_t>(upper ? -std::numeric_limits<double>::infinity()
                                                : std::numeric_limits<double>::infinity());
    case Reg::i32:
      return upper ? 0x80000000U : 0x7FFFFFFFU;
    default:
      return upper ? 1ULL << 63U : ~(1ULL << 63U);
  }
}

}  // namespace

Reducer::Reducer(Ir& ir, const Kernel& kernel, const Instr& instr)
    : ir_(ir),
      kind_(instr.reduce),
      value_reg_(kernel.code[static_cast<std::size_t>(instr.a)].reg) {}

bool Reducer::has_place() const {
  return gives_place(kind_);
}

Partial Reducer::identity() {
  const auto constant = [&](Reg reg, std::uint64_t bits) {
    return ir_.splat_constant(reg, bits)->getSplatValue();
  };
  if (kind_ == ReduceKind::sum || kind_ == ReduceKind::dot) {
    return {constant(value_reg_, 0), nullptr};
  }
  if (kind_ == ReduceKind::product) {
    return {constant(value_reg_, one_bits(value_reg_)), nullptr};
  }
  llvm::Value* value = constant(value_reg_, extreme_bits(value_reg_, is_upper(kind_)));
  return {value, has_place() ? ir_.number(0) : nullptr};
}

Partial Reducer::identity_lanes() {
  const Partial one = identity();
  return {ir_.splat(one.value), one.place == nullptr ? nullptr : ir_.splat(one.place)};
}

llvm::Value* Reducer::is_nan(llvm::Value* value) {
  return compare(ir_, ScalarOp::ne, value_reg_, value, value);
}

/// Whether `candidate` is strictly better; NaN is better than all but NaN.
llvm::Value* Reducer::better(const Partial& candidate, const Partial& best) {
  const ScalarOp above = is_upper(kind_) ? ScalarOp::gt : ScalarOp::lt;
  llvm::Value* above_it = compare(ir_, above, value_reg_, candidate.value, best.value);
  if (!is_floating(value_reg_)) {
    return above_it;
  }
  llvm::Value* new_nan = ir_.CreateAnd(is_nan(candidate.value), ir_.CreateNot(is_nan(best.value)));
  return ir_.CreateOr(above_it, new_nan);
}

/// The scalar operation `maximum` or `minimum`, in a form whose NaN test waits for `high` alone.
llvm::Value* Reducer::extreme(llvm::Value* low, llvm::Value* high) {
  const ScalarOp above = is_upper(kind_) ? ScalarOp::gt : ScalarOp::lt;
  llvm::Value* taken = ir_.CreateSelect(compare(ir_, above, value_reg_, high, low), high, low);
  return is_floating(value_reg_) ? ir_.CreateSelect(is_nan(high), high, taken) : taken;
}

Partial Reducer::take(const Partial& lanes, llvm::Value* a, llvm::Value* b, llvm::Value* place) {
  if (kind_ == ReduceKind::dot) {
    return {apply(ir_, ScalarOp::fma, value_reg_, {a}, {b}, {lanes.value}).value, nullptr};
  }
  const Partial element{a, place};
  if (has_place()) {  // Places rise along a lane, so that of equals the first stays.
    return select(better(element, lanes), element, lanes);
  }
  return combine(lanes, element);
}

Partial Reducer::combine(const Partial& low, const Partial& high) {
  if (has_place()) {
    llvm::Value* high_is_better = better(high, low);
    llvm::Value* low_is_better = better(low, high);
    llvm::Value* earlier = ir_.CreateICmpSLT(high.place, low.place);
    llvm::Value* equal_and_earlier = ir_.CreateAnd(ir_.CreateNot(low_is_better), earlier);
    return select(ir_.CreateOr(high_is_better, equal_and_earlier), high, low);
  }
  if (kind_ == ReduceKind::maximum || kind_ == ReduceKind::minimum) {
    return {extreme(low.value, high.value), nullptr};
  }
  const ScalarOp op = kind_ == ReduceKind::product ? ScalarOp::mul : ScalarOp::add;
  return {apply(ir_, op, value_reg_, {low.value}, {high.value}).value, nullptr};
}

Partial Reducer::tree(Partial lanes) {
  const auto half = [&](llvm::Value* value, int begin, int width) -> llvm::Value* {
    if (value == nullptr) {
      return nullptr;
    }
    if (width == 1) {
      return ir_.CreateExtractElement(value, ir_.number(begin));
    }
    std::vector<int> taken(static_cast<std::size_t>(width));
    std::iota(taken.begin(), taken.end(), begin);
    return ir_.CreateShuffleVector(value, taken);
  };
  for (int width = static_cast<int>(kLanes) / 2; width > 0; width /= 2) {
    lanes = combine({half(lanes.value, 0, width), half(lanes.place, 0, width)},
                    {half(lanes.value, width, width), half(lanes.place, width, width)});
  }
  return lanes;
}

Partial Reducer::select(llvm::Value* condition, const Partial& chosen, const Partial& other) {
  const auto one = [&](llvm::Value* yes, llvm::Value* no) {
    return yes == nullptr ? nullptr : ir_.CreateSelect(condition, yes, no);
  };
  return {one(chosen.value, other.value), one(chosen.place, other.place)};
}

}  // namespace rondo::codegen
