#include "codegen/kernel.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/canonical_order.h"
#include "codegen/round_up.h"

namespace rondo::codegen {

std::string_view reduce_name(ReduceKind kind) {
  constexpr std::string_view kNames[] = {"sum",    "product", "maximum", "minimum",
                                         "argmax", "argmin",  "dot"};
  return kNames[static_cast<int>(kind)];
}

std::string_view reg_name(Reg reg) {
  constexpr std::string_view kNames[kRegCount] = {"i32", "i64", "f32", "f64"};
  return kNames[static_cast<int>(reg)];
}

namespace {

std::string print_instr(const Instr& in) {
  const std::string_view reg = reg_name(in.reg);
  switch (in.kind) {
    case InstrKind::constant:
      return fmt::format("const.{} {:x}", reg, in.bits);
    case InstrKind::scalar:
      return fmt::format("scalar.{} s{}", reg, in.operand);
    case InstrKind::load:
      return fmt::format("load.{} p{}", reg, in.operand);
    case InstrKind::index:
      return "index";
    case InstrKind::op:
      return fmt::format("{}.{} {} {} {}", scalar_op_info(in.scalar).name, reg, in.a, in.b, in.c);
    case InstrKind::reduce:
      return fmt::format("reduce_{}.{} {} {}", reduce_name(in.reduce), reg, in.a, in.b);
    default:
      return fmt::format("store.{} p{} {}", reg, in.operand, in.a);
  }
}

/// Marks what the element value `i` needs in phase `phase` (its own operands, or a reload).
void need(const Kernel& kernel, int i, int phase, std::vector<char>& computed,
          std::vector<char>& reloaded) {
  if (i < 0) {
    return;
  }
  const auto n = static_cast<std::size_t>(i);
  const Instr& in = kernel.code[n];
  if (in.level == Level::row || computed[n] != 0) {
    return;
  }
  if (in.spill && in.phase < phase) {
    reloaded[n] = 1;
    return;
  }
  computed[n] = 1;
  need(kernel, in.a, phase, computed, reloaded);
  need(kernel, in.b, phase, computed, reloaded);
  need(kernel, in.c, phase, computed, reloaded);
}

bool is_root(const Instr& in, int phase) {
  if (in.phase != phase || (in.level == Level::row && in.kind != InstrKind::reduce)) {
    return false;
  }
  return in.kind == InstrKind::store || in.kind == InstrKind::reduce || in.spill;
}

void collect(const Kernel& kernel, const std::vector<char>& computed,
             const std::vector<char>& reloaded, int phase_number, Phase& phase) {
  for (std::size_t n = 0; n < kernel.code.size(); ++n) {
    const Instr& in = kernel.code[n];
    const int i = static_cast<int>(n);
    if (in.kind == InstrKind::reduce) {
      if (in.phase == phase_number) {
        phase.reductions.push_back(i);
      }
    } else if (in.level == Level::row) {
      if (in.phase == phase_number) {
        phase.row_code.push_back(i);
      }
    } else if (reloaded[n] != 0) {
      phase.reloads.push_back(i);
    } else if (computed[n] != 0) {
      phase.element_code.push_back(i);
      if (in.spill && in.phase == phase_number) {
        phase.spills.push_back(i);
      }
    }
  }
}

}  // namespace

bool Kernel::has_reduction() const {
  return std::any_of(code.begin(), code.end(),
                     [](const Instr& in) { return in.kind == InstrKind::reduce; });
}

int Kernel::phases() const {
  int last = 0;
  for (const Instr& in : code) {
    last = std::max<int>(last, in.phase);
  }
  return last + 1;
}

Reg Kernel::op_class(const Instr& op) const {
  return code[static_cast<std::size_t>(op.scalar == ScalarOp::select ? op.b : op.a)].reg;
}

std::vector<char> uniform_values(const Kernel& kernel) {
  std::vector<char> uniform;
  uniform.reserve(kernel.code.size());
  for (const Instr& in : kernel.code) {
    bool same = in.kind == InstrKind::constant || in.kind == InstrKind::scalar;
    if (in.kind == InstrKind::op && in.level == Level::row) {
      const int uses[] = {in.a, in.b, in.c};
      same = std::all_of(std::begin(uses), std::end(uses), [&](int use) {
        return use < 0 || uniform[static_cast<std::size_t>(use)] != 0;
      });
    }
    uniform.push_back(same ? 1 : 0);
  }
  return uniform;
}

std::string print(const Kernel& kernel) {
  std::string text = fmt::format("scalars {}\n", kernel.scalars);
  for (const KernelOperand& operand : kernel.operands) {
    text += fmt::format("{} {} {}\n", operand.written ? "out" : "in", dtype_name(operand.dtype),
                        operand.level == Level::row ? "row" : "element");
  }
  for (std::size_t i = 0; i < kernel.code.size(); ++i) {
    const Instr& in = kernel.code[i];
    text += fmt::format("%{} = {}{}{} @{}\n", i, print_instr(in),
                        in.level == Level::row ? " row" : "", in.spill ? " spill" : "", in.phase);
  }
  return text;
}

StrideClass stride_class(std::int64_t stride, Dtype dtype) {
  if (stride == 0) {
    return StrideClass::zero;
  }
  return stride == size_bytes(dtype, 1) ? StrideClass::unit : StrideClass::any;
}

bool prefers_columns(const Kernel& kernel, std::int64_t rows, std::int64_t cols,
                     std::span<const std::int64_t> row_stride,
                     std::span<const std::int64_t> col_stride) {
  constexpr std::int64_t kFewRows = 8;
  if (rows < kFewRows) {
    return false;
  }
  int balance = 0;
  for (std::size_t i = 0; i < kernel.operands.size(); ++i) {
    const KernelOperand& operand = kernel.operands[i];
    if (operand.level == Level::element) {
      const std::int64_t unit = size_bytes(operand.dtype, 1);
      balance += row_stride[i] == unit ? 1 : 0;
      balance -= col_stride[i] == unit || cols == 1 ? 1 : 0;
    }
  }
  return balance > 0;
}

std::string print(const std::vector<StrideClass>& strides) {
  std::string text;
  for (const StrideClass stride : strides) {
    text += stride == StrideClass::unit ? 'u' : (stride == StrideClass::zero ? 'z' : 'a');
  }
  return text;
}

std::string print(const Variant& variant) {
  return (variant.schedule == Schedule::rows ? "rows " : "columns ") + print(variant.strides);
}

std::vector<Phase> plan_phases(const Kernel& kernel) {
  std::vector<Phase> phases(static_cast<std::size_t>(kernel.phases()));
  for (std::size_t p = 0; p < phases.size(); ++p) {
    const int number = static_cast<int>(p);
    std::vector<char> computed(kernel.code.size(), 0);
    std::vector<char> reloaded(kernel.code.size(), 0);
    for (std::size_t n = 0; n < kernel.code.size(); ++n) {
      const Instr& in = kernel.code[n];
      if (!is_root(in, number)) {
        continue;
      }
      if (in.kind == InstrKind::reduce) {
        need(kernel, in.a, number, computed, reloaded);
        need(kernel, in.b, number, computed, reloaded);
      } else {
        need(kernel, static_cast<int>(n), number, computed, reloaded);
      }
    }
    collect(kernel, computed, reloaded, number, phases[p]);
  }
  return phases;
}

std::int64_t scratch_bytes(const Kernel& kernel, Schedule schedule, std::int64_t outer,
                           std::int64_t cols) {
  std::int64_t total = 0;
  for (const Instr& in : kernel.code) {
    const std::int64_t bytes = reg_bytes(in.reg);
    if (schedule == Schedule::rows) {
      total += in.spill ? (round_up(outer * cols, kReduceLanes) + kReduceLanes) * bytes : 0;
    } else if (in.kind == InstrKind::reduce) {
      total += (kReduceLanes + 1) * kColumnArrayBytes * (gives_place(in.reduce) ? 2 : 1);
    } else if (in.spill) {
      total += outer * cols * kColumnTile * bytes;
    } else if (in.level == Level::row && (in.kind == InstrKind::load || in.kind == InstrKind::op)) {
      total += kColumnArrayBytes;
    }
  }
  return total;
}

}  // namespace rondo::codegen
