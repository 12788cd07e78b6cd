// Builds kernels for tests: levels, phases and register classes follow from the operands.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "codegen/kernel.h"

namespace rondo::codegen {

/// Each call appends an instruction and gives its number.
class KernelBuilder {
 public:
  int load(Dtype dtype, Level level = Level::element) {
    Instr in = memory(InstrKind::load, dtype, level);
    return push(in);
  }

  int store(int value, Dtype dtype, Level level = Level::element) {
    Instr in = memory(InstrKind::store, dtype, level);
    in.a = value;
    return push(in);
  }

  int op(ScalarOp scalar, int a, int b = -1, int c = -1) {
    Instr in;
    in.kind = InstrKind::op;
    in.scalar = scalar;
    in.a = a;
    in.b = b;
    in.c = c;
    in.reg = scalar_op_result(scalar, kernel_.op_class(in));
    return push(in);
  }

  int reduce(ReduceKind kind, int a, int b = -1) {
    Instr in;
    in.kind = InstrKind::reduce;
    in.reduce = kind;
    in.a = a;
    in.b = b;
    in.reg = gives_place(kind) ? Reg::i64 : at(a).reg;
    return push(in);
  }

  int constant(Reg reg, std::uint64_t bits) {
    Instr in;
    in.reg = reg;
    in.bits = bits;
    return push(in);
  }
  int constant(float value) { return constant(Reg::f32, std::bit_cast<std::uint32_t>(value)); }
  int constant(double value) { return constant(Reg::f64, std::bit_cast<std::uint64_t>(value)); }

  int scalar(Reg reg) {
    Instr in;
    in.kind = InstrKind::scalar;
    in.reg = reg;
    in.operand = kernel_.scalars++;
    return push(in);
  }

  int index() {
    Instr in;
    in.kind = InstrKind::index;
    in.reg = Reg::i64;
    return push(in);
  }

  void spill(int value) { at(value).spill = true; }

  const Instr& instr(int n) const { return kernel_.code[static_cast<std::size_t>(n)]; }

  /// The kernel so far. Errors: those of verify
  const Kernel& kernel() const {
    verify(kernel_);
    return kernel_;
  }

 private:
  Instr& at(int n) { return kernel_.code[static_cast<std::size_t>(n)]; }

  Instr memory(InstrKind kind, Dtype dtype, Level level) {
    kernel_.operands.push_back({dtype, level, kind == InstrKind::store});
    Instr in;
    in.kind = kind;
    in.reg = reg_of(dtype);
    in.level = level;
    in.operand = static_cast<int>(kernel_.operands.size()) - 1;
    return in;
  }

  int push(Instr in) {
    bool element = in.kind == InstrKind::index;
    for (const int use : {in.a, in.b, in.c}) {
      if (use >= 0) {
        const bool reduced = at(use).kind == InstrKind::reduce;
        const int phase = at(use).phase + (reduced ? 1 : 0);
        in.phase = static_cast<std::uint8_t>(std::max<int>(in.phase, phase));
        element = element || at(use).level == Level::element;
      }
    }
    if (in.kind == InstrKind::op || in.kind == InstrKind::index) {
      in.level = element ? Level::element : Level::row;
    }
    kernel_.code.push_back(in);
    return static_cast<int>(kernel_.code.size()) - 1;
  }

  Kernel kernel_;
};

}  // namespace rondo::codegen
