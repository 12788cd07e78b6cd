// Checks that a kernel follows the rules in kernel.h.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "codegen/kernel.h"
#include "core/base/error.h"

namespace rondo::codegen {
namespace {

/// One instruction and what it may refer to.
class InstrCheck {
 public:
  InstrCheck(const Kernel& kernel, std::size_t number)
      : kernel_(kernel), in_(kernel.code[number]), number_(number) {}

  void run() const {
    check_uses();
    check_level();
    check_kind();
    require(in_.phase == expected_phase(), "has the wrong phase");
    require(!in_.spill || (in_.level == Level::element && in_.kind != InstrKind::store),
            "is marked spill but is no element value");
  }

 private:
  void require(bool condition, const char* what) const {
    if (!condition) [[unlikely]] {
      invariant(false, fmt::format("kernel: instruction {} {}", number_, what).c_str());
    }
  }

  int use_count() const {
    switch (in_.kind) {
      case InstrKind::op:
        return scalar_op_info(in_.scalar).arity;
      case InstrKind::reduce:
        return in_.reduce == ReduceKind::dot ? 2 : 1;
      case InstrKind::store:
        return 1;
      default:
        return 0;
    }
  }

  const Instr& used(int use) const {
    const int uses[] = {in_.a, in_.b, in_.c};
    return kernel_.code[static_cast<std::size_t>(uses[use])];
  }

  void check_uses() const {
    const int uses[] = {in_.a, in_.b, in_.c};
    for (int i = 0; i < 3; ++i) {
      require((uses[i] >= 0) == (i < use_count()), "has the wrong number of operands");
      require(uses[i] < static_cast<int>(number_), "uses a later one");
      require(i >= use_count() || used(i).kind != InstrKind::store, "uses a store");
    }
  }

  void check_level() const {
    const bool row_only = in_.kind == InstrKind::constant || in_.kind == InstrKind::scalar ||
                          in_.kind == InstrKind::reduce;
    require(!row_only || in_.level == Level::row, "is always a row value");
    require(in_.kind != InstrKind::index || in_.level == Level::element,
            "is always an element value");
    if (in_.level == Level::row && in_.kind != InstrKind::reduce) {
      for (int i = 0; i < use_count(); ++i) {
        require(used(i).level == Level::row, "is a row value made from an element value");
      }
    }
  }

  int expected_phase() const {
    int phase = 0;
    for (int i = 0; i < use_count(); ++i) {
      const Instr& use = used(i);
      phase = std::max(phase, use.phase + (use.kind == InstrKind::reduce ? 1 : 0));
    }
    return phase;
  }

  void check_kind() const {
    switch (in_.kind) {
      case InstrKind::load:
      case InstrKind::store:
        check_memory();
        break;
      case InstrKind::scalar:
        require(in_.operand >= 0 && in_.operand < kernel_.scalars, "names no scalar");
        break;
      case InstrKind::index:
        require(in_.reg == Reg::i64, "is an index and not i64");
        break;
      case InstrKind::op:
        check_op();
        break;
      case InstrKind::reduce:
        check_reduce();
        break;
      default:
        break;
    }
  }

  void check_memory() const {
    require(in_.operand >= 0 && in_.operand < static_cast<int>(kernel_.operands.size()),
            "names no operand");
    const KernelOperand& operand = kernel_.operands[static_cast<std::size_t>(in_.operand)];
    require(operand.written == (in_.kind == InstrKind::store), "uses an operand the wrong way");
    require(operand.level == in_.level, "differs from its operand in level");
    require(reg_of(operand.dtype) == in_.reg, "differs from its operand in class");
    require(in_.kind == InstrKind::load || used(0).reg == in_.reg, "stores a value of other class");
  }

  void check_op() const {
    const ScalarOpInfo& info = scalar_op_info(in_.scalar);
    const bool select = info.kind == ScalarKind::select;
    require(!select || used(0).reg == Reg::i32, "selects by what is not i32");
    const int first = select ? 1 : 0;
    const Reg reg = used(first).reg;
    for (int i = first; i < info.arity; ++i) {
      require(used(i).reg == reg, "has operands of different classes");
    }
    require(scalar_op_takes(in_.scalar, reg), "is an op on a class that it does not take");
    require(scalar_op_result(in_.scalar, reg) == in_.reg, "is of the wrong class");
  }

  void check_reduce() const {
    require(in_.reg == (gives_place(in_.reduce) ? Reg::i64 : used(0).reg), "is of the wrong class");
    if (in_.reduce == ReduceKind::dot) {
      require(is_floating(in_.reg), "is a dot of integers");
      require(used(1).reg == in_.reg, "has operands of different classes");
    }
  }

  const Kernel& kernel_;
  const Instr& in_;
  std::size_t number_;
};

}  // namespace

void verify(const Kernel& kernel) {
  for (std::size_t n = 0; n < kernel.code.size(); ++n) {
    InstrCheck(kernel, n).run();
  }
}

}  // namespace rondo::codegen
