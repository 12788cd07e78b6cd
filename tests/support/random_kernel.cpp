#include "tests/support/random_kernel.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace rondo::codegen {
namespace {

using Ops = std::vector<ScalarOp>;

/// Ops that keep values of every class lively; the others are drawn from the whole table.
const Ops kCommonOps{ScalarOp::add,     ScalarOp::sub,     ScalarOp::mul,    ScalarOp::fma,
                     ScalarOp::maximum, ScalarOp::minimum, ScalarOp::select, ScalarOp::lt,
                     ScalarOp::neg,     ScalarOp::abs};
const std::vector<Reg> kRegs{Reg::i32, Reg::i64, Reg::f32, Reg::f64};

ScalarOp conversion_to(Reg reg) {
  constexpr ScalarOp kTo[] = {ScalarOp::to_i32, ScalarOp::to_i64, ScalarOp::to_f32,
                              ScalarOp::to_f64};
  return kTo[static_cast<int>(reg)];
}

class CaseMaker {
 public:
  explicit CaseMaker(std::uint64_t seed) : random_(seed) {
    reduces_ = !random_.one_in(3);
    wild_ = random_.one_in(3);
  }

  KernelCase make() {
    make_shape();
    make_sources();
    const std::int64_t ops = 1 + random_.below(10);
    for (std::int64_t i = 0; i < ops; ++i) {
      add_op();
      if (random_.one_in(8)) {
        add_load();
      }
      if (reduces_ && random_.one_in(3)) {
        add_reduction();
      }
    }
    if (reduces_ && !kernel().has_reduction()) {
      add_reduction();
    }
    const std::int64_t outputs = 1 + random_.below(3);
    for (std::int64_t i = 0; i < outputs; ++i) {
      add_store();
    }
    mark_spills();
    verify(kernel());
    return std::move(case_);
  }

 private:
  Kernel& kernel() { return case_.kernel; }
  const Instr& instr(int i) { return kernel().code[static_cast<std::size_t>(i)]; }

  void make_shape() {
    const std::vector<std::int64_t> sizes{1 + random_.below(8), 1 + random_.below(67),
                                          1 + random_.below(67), 1 + random_.below(400),
                                          1 + random_.below(3000)};
    case_.cols = random_.one_in(24) ? 0 : random_.pick(sizes);
    case_.outer = reduces_ && random_.one_in(3) ? random_.below(9) : 1;
    const std::int64_t elements = random_.one_in(20) ? 40000 : 6000;
    const std::int64_t room = elements / std::max<std::int64_t>(case_.outer * case_.cols, 1);
    case_.rows = random_.one_in(24) ? 0 : 1 + random_.below(std::clamp<std::int64_t>(room, 1, 600));
    if (random_.one_in(2)) {
      case_.rows = std::min<std::int64_t>(case_.rows, 67);
    }
    case_.first_index = random_.one_in(2) ? 0 : random_.below(std::int64_t{1} << 40);
  }

  void make_sources() {
    for (std::int64_t i = 1 + random_.below(4); i > 0; --i) {
      add_load();
    }
    for (std::int64_t i = random_.below(3); i > 0; --i) {
      const Reg reg = random_.pick(kRegs);
      add({.kind = InstrKind::constant, .reg = reg, .bits = random_value(reg)});
    }
    for (std::int64_t i = random_.below(3); i > 0; --i) {
      const Reg reg = random_.pick(kRegs);
      add({.kind = InstrKind::scalar, .reg = reg, .operand = kernel().scalars++});
      case_.scalars.push_back(random_value(reg));
    }
    if (random_.one_in(4)) {
      add({.kind = InstrKind::index, .reg = Reg::i64, .level = Level::element});
    }
  }

  void add_load() {
    const Level level = random_.one_in(4) ? Level::row : Level::element;
    const Dtype dtype = random_dtype();
    add({.kind = InstrKind::load,
         .reg = reg_of(dtype),
         .level = level,
         .operand = add_operand(dtype, level, false)});
  }

  Dtype random_dtype() {
    if (random_.one_in(2)) {
      return Dtype::float32;
    }
    return static_cast<Dtype>(random_.below(kDtypeCount));
  }

  std::uint64_t random_value(Reg reg) {
    constexpr Dtype kDtypes[] = {Dtype::int32, Dtype::int64, Dtype::float32, Dtype::float64};
    std::vector<std::byte> bytes(8);
    fill_random(bytes, kDtypes[static_cast<int>(reg)], wild_, random_);
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data(), static_cast<std::size_t>(reg_bytes(reg)));
    return value;
  }

  /// Adds the instruction in the phase where it belongs.
  int add(Instr in) {
    for (const int use : {in.a, in.b, in.c}) {
      if (use >= 0) {
        const int after = instr(use).phase + (instr(use).kind == InstrKind::reduce ? 1 : 0);
        in.phase = static_cast<std::uint8_t>(std::max<int>(in.phase, after));
      }
    }
    kernel().code.push_back(in);
    if (in.kind != InstrKind::store) {
      values_.push_back(static_cast<int>(kernel().code.size()) - 1);
    }
    return static_cast<int>(kernel().code.size()) - 1;
  }

  int add_scalar_op(ScalarOp op, Reg reg, int a, int b = -1, int c = -1) {
    Level level = Level::row;
    for (const int use : {a, b, c}) {
      if (use >= 0 && instr(use).level == Level::element) {
        level = Level::element;
      }
    }
    return add({.kind = InstrKind::op,
                .scalar = op,
                .reg = scalar_op_result(op, reg),
                .level = level,
                .a = a,
                .b = b,
                .c = c});
  }

  /// A value of that class, a late one if there is a choice; converted if there is none.
  int value_of(Reg reg) {
    std::vector<int> fitting;
    for (const int value : values_) {
      if (instr(value).reg == reg) {
        fitting.push_back(value);
      }
    }
    if (fitting.empty()) {
      const int from = random_.pick(values_);
      return add_scalar_op(conversion_to(reg), instr(from).reg, from);
    }
    return random_.one_in(2) ? fitting.back() : random_.pick(fitting);
  }

  void add_op() {
    auto op = random_.one_in(2) ? random_.pick(kCommonOps)
                                : static_cast<ScalarOp>(random_.below(kScalarOpCount));
    std::vector<Reg> regs;
    for (const Reg reg : kRegs) {
      if (scalar_op_takes(op, reg)) {
        regs.push_back(reg);
      }
    }
    const Reg reg = random_.pick(regs);
    const int arity = scalar_op_info(op).arity;
    const Reg first = op == ScalarOp::select ? Reg::i32 : reg;
    const int a = value_of(first);
    const int b = arity > 1 ? value_of(reg) : -1;
    const int c = arity > 2 ? value_of(reg) : -1;
    add_scalar_op(op, reg, a, b, c);
  }

  void add_reduction() {
    const auto kind = static_cast<ReduceKind>(random_.below(7));
    int a = random_.pick(values_);
    for (int i = 0; i < 4 && instr(a).level == Level::row; ++i) {
      a = random_.pick(values_);
    }
    int b = -1;
    if (kind == ReduceKind::dot) {
      const Reg reg = random_.one_in(2) ? Reg::f32 : Reg::f64;
      a = value_of(reg);
      b = value_of(reg);
    }
    add({.kind = InstrKind::reduce,
         .reduce = kind,
         .reg = gives_place(kind) ? Reg::i64 : instr(a).reg,
         .a = a,
         .b = b});
  }

  void add_store() {
    int value = random_.one_in(3) ? random_.pick(values_) : values_.back();
    const bool row = instr(value).level == Level::row && random_.one_in(2);
    const Level level = row ? Level::row : Level::element;
    std::vector<Dtype> dtypes;
    for (int code = 0; code < kDtypeCount; ++code) {
      if (reg_of(static_cast<Dtype>(code)) == instr(value).reg) {
        dtypes.push_back(static_cast<Dtype>(code));
      }
    }
    const Dtype dtype = random_.pick(dtypes);
    if (const std::optional<ScalarOp> rounding = rounding_to(dtype)) {
      value = add_scalar_op(*rounding, instr(value).reg, value);
    }
    int operand = random_.one_in(2) ? operand_in_place(dtype, level) : -1;
    if (operand < 0) {
      operand = add_operand(dtype, level, true);
    }
    add({.kind = InstrKind::store,
         .reg = reg_of(dtype),
         .level = level,
         .operand = operand,
         .a = value});
  }

  /// A written operand where one that is read already lies; -1 if none can be.
  int operand_in_place(Dtype dtype, Level level) {
    for (std::size_t p = 0; p < kernel().operands.size(); ++p) {
      const KernelOperand& operand = kernel().operands[p];
      if (!operand.written && operand.dtype == dtype && operand.level == level && unique_[p] &&
          written_[static_cast<std::size_t>(case_.operands[p].buffer)] == 0) {
        written_[static_cast<std::size_t>(case_.operands[p].buffer)] = 1;
        kernel().operands.push_back({dtype, level, true});
        case_.operands.push_back(CaseOperand{case_.operands[p]});
        unique_.push_back(true);
        return static_cast<int>(kernel().operands.size()) - 1;
      }
    }
    return -1;
  }

  /// A new buffer: its dimensions in any order, reversed, with gaps or repeated.
  int add_operand(Dtype dtype, Level level, bool written) {
    struct Axis {
      std::int64_t size;
      std::int64_t stride = 0;
    };
    std::array<Axis, 3> axes{Axis{case_.rows}, Axis{case_.outer}, Axis{case_.cols}};
    std::array<std::size_t, 3> order{2, 1, 0};  // innermost first
    if (level == Level::row) {
      axes[1].size = axes[2].size = 1;
    }
    if (random_.one_in(3)) {
      std::swap(order[0], order[2]);
    } else if (random_.one_in(4)) {
      std::swap(order[static_cast<std::size_t>(random_.below(3))], order[1]);
    }
    const std::int64_t item = size_bytes(dtype, 1);
    const bool plain = random_.one_in(2);
    std::int64_t next = item;
    std::int64_t offset = plain ? 0 : item * random_.below(20);
    bool unique = true;
    for (const std::size_t axis : order) {
      Axis& a = axes[axis];
      if (!written && random_.one_in(6)) {
        unique = unique && a.size <= 1;
        continue;
      }
      if (!plain && random_.one_in(4)) {
        next += item * random_.below(9);
      }
      const bool reversed = !plain && random_.one_in(5);
      a.stride = reversed ? -next : next;
      offset += reversed ? next * std::max<std::int64_t>(a.size - 1, 0) : 0;
      next *= std::max<std::int64_t>(a.size, 1);
    }
    case_.operands.push_back({static_cast<int>(case_.buffers.size()), offset, axes[0].stride,
                              axes[1].stride, axes[2].stride});
    std::vector<std::byte> buffer(static_cast<std::size_t>(offset + next + 16 * item));
    fill_random(buffer, dtype, wild_, random_);
    case_.buffers.push_back(std::move(buffer));
    case_.dtypes.push_back(dtype);
    kernel().operands.push_back({dtype, level, written});
    unique_.push_back(unique);
    written_.push_back(written ? 1 : 0);
    return static_cast<int>(kernel().operands.size()) - 1;
  }

  /// Some values at random, and loads from what an earlier phase overwrites.
  void mark_spills() {
    if (kernel().phases() == 1) {
      return;
    }
    for (Instr& in : kernel().code) {
      in.spill = in.level == Level::element && in.kind != InstrKind::store && random_.one_in(5);
    }
    const std::vector<Phase> phases = plan_phases(kernel());
    for (const Instr& store : kernel().code) {
      for (std::size_t p = store.phase + 1U; p < phases.size(); ++p) {
        for (const int i : phases[p].element_code) {
          Instr& in = kernel().code[static_cast<std::size_t>(i)];
          in.spill = in.spill || (store.kind == InstrKind::store && in.kind == InstrKind::load &&
                                  buffer_of(in) == buffer_of(store));
        }
      }
    }
  }

  int buffer_of(const Instr& in) {
    return case_.operands[static_cast<std::size_t>(in.operand)].buffer;
  }

  RandomNumbers random_;
  bool reduces_ = false;
  bool wild_ = false;
  KernelCase case_;
  std::vector<int> values_;
  std::vector<char> unique_;   // of operands: no element twice
  std::vector<char> written_;  // of buffers
};

}  // namespace

std::optional<ScalarOp> rounding_to(Dtype dtype) {
  switch (dtype) {
    case Dtype::boolean:
      return ScalarOp::round_bool;
    case Dtype::uint8:
      return ScalarOp::round_u8;
    case Dtype::int8:
      return ScalarOp::round_i8;
    case Dtype::int16:
      return ScalarOp::round_i16;
    case Dtype::float16:
      return ScalarOp::round_f16;
    case Dtype::bfloat16:
      return ScalarOp::round_bf16;
    default:
      return std::nullopt;
  }
}

KernelCase random_kernel(std::uint64_t seed) {
  return CaseMaker(seed).make();
}

}  // namespace rondo::codegen
