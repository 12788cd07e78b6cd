// The scalar operations that kernels are made of, and the four register classes that they compute
// in.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/tensor/dtype.h"

namespace rondo {

/// What a kernel holds values in. Bools and integers up to 32 bits live in i32 (bools as 0 and 1),
/// 16-bit floats in f32; after each operation of a narrower dtype the value is brought back by a
/// `round_*` operation.
enum class Reg : std::uint8_t { i32, i64, f32, f64 };
inline constexpr int kRegCount = 4;

constexpr Reg reg_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::int64:
      return Reg::i64;
    case Dtype::float16:
    case Dtype::bfloat16:
    case Dtype::float32:
      return Reg::f32;
    case Dtype::float64:
      return Reg::f64;
    default:
      return Reg::i32;
  }
}

constexpr std::int64_t reg_bytes(Reg reg) {
  return reg == Reg::i64 || reg == Reg::f64 ? 8 : 4;
}
constexpr bool is_floating(Reg reg) {
  return reg == Reg::f32 || reg == Reg::f64;
}

/// Which operand classes an operation takes, and what it returns.
enum class ScalarKind : std::uint8_t {
  any,       // any class -> the same class
  floating,  // f32 or f64 -> the same class
  integer,   // i32 or i64 -> the same class
  compare,   // any class -> i32 (0 or 1)
  test,      // f32 or f64 -> i32 (0 or 1)
  select,    // (i32, T, T) -> T
  round,     // i32 -> i32: brings it to the values of a narrower dtype
  narrow,    // f32 -> f32: rounds it to the values of a narrower dtype
  convert,   // any class -> the class in its name
  random,    // (seed i64, offset i64, index i64) -> the class in its name
};

// X(name, arity, kind). Meanings where a name does not say it all:
//   div: floating a / b; for integers truncated division, x / 0 = 0, least / -1 wraps
//   floor_div, remainder: Python's // and % (sign of the divisor), with NumPy's values where the
//     divisor is 0 or infinite; integers: x // 0 = x % 0 = 0
//   fmod: C's fmod (sign of the dividend); integers: fmod(x, 0) = 0
//   pow: integers by repeated multiplication, wrapping; a negative exponent gives 0, but bases 1
//     and -1 are exact
//   minimum, maximum: NaN propagates; a tie returns the first operand
//   shl, shr: a shift by the width or more, or a negative one, gives 0 (shl) or the sign (shr)
//   sign: NaN stays NaN; the sign of a zero is that zero
//   round_half_even: to the nearest integer, ties to even
//   select: the condition is true where it is not 0
//   to_i32, to_i64: floats are truncated, NaN and out of range give the least value; i64 to i32
//     wraps; to_f32, to_f64: nearest even
//   round_bool: x != 0; round_u8, round_i8, round_i16: wrap (all in i32); round_f16, round_bf16:
//     nearest even (in f32)
//   random: Philox 4x32-10, key = the two halves of seed, counter = (index, offset), each two
//     halves, low first. random_i32 is word 0; uniform_f32 = 24 high bits of word 0 in [0, 1);
//     uniform_f64 = 53 high bits of (word 1, word 0); normal: Box-Muller, the cosine of it, over
//     radius 1 - u and angle u from words 0 and 1 (f32) or the pairs (1, 0) and (3, 2) (f64)
#define RONDO_SCALAR_OPS(X)       \
  X(add, 2, any)                  \
  X(sub, 2, any)                  \
  X(mul, 2, any)                  \
  X(div, 2, any)                  \
  X(floor_div, 2, any)            \
  X(remainder, 2, any)            \
  X(fmod, 2, any)                 \
  X(minimum, 2, any)              \
  X(maximum, 2, any)              \
  X(neg, 1, any)                  \
  X(abs, 1, any)                  \
  X(sign, 1, any)                 \
  X(pow, 2, any)                  \
  X(fma, 3, floating)             \
  X(exp, 1, floating)             \
  X(exp2, 1, floating)            \
  X(expm1, 1, floating)           \
  X(log, 1, floating)             \
  X(log2, 1, floating)            \
  X(log10, 1, floating)           \
  X(log1p, 1, floating)           \
  X(sqrt, 1, floating)            \
  X(rsqrt, 1, floating)           \
  X(reciprocal, 1, floating)      \
  X(sin, 1, floating)             \
  X(cos, 1, floating)             \
  X(tan, 1, floating)             \
  X(asin, 1, floating)            \
  X(acos, 1, floating)            \
  X(atan, 1, floating)            \
  X(atan2, 2, floating)           \
  X(sinh, 1, floating)            \
  X(cosh, 1, floating)            \
  X(tanh, 1, floating)            \
  X(sigmoid, 1, floating)         \
  X(erf, 1, floating)             \
  X(floor, 1, floating)           \
  X(ceil, 1, floating)            \
  X(trunc, 1, floating)           \
  X(round_half_even, 1, floating) \
  X(bit_and, 2, integer)          \
  X(bit_or, 2, integer)           \
  X(bit_xor, 2, integer)          \
  X(bit_not, 1, integer)          \
  X(shl, 2, integer)              \
  X(shr, 2, integer)              \
  X(eq, 2, compare)               \
  X(ne, 2, compare)               \
  X(lt, 2, compare)               \
  X(le, 2, compare)               \
  X(gt, 2, compare)               \
  X(ge, 2, compare)               \
  X(isnan, 1, test)               \
  X(isinf, 1, test)               \
  X(isfinite, 1, test)            \
  X(select, 3, select)            \
  X(round_bool, 1, round)         \
  X(round_u8, 1, round)           \
  X(round_i8, 1, round)           \
  X(round_i16, 1, round)          \
  X(round_f16, 1, narrow)         \
  X(round_bf16, 1, narrow)        \
  X(to_i32, 1, convert)           \
  X(to_i64, 1, convert)           \
  X(to_f32, 1, convert)           \
  X(to_f64, 1, convert)           \
  X(random_i32, 3, random)        \
  X(uniform_f32, 3, random)       \
  X(uniform_f64, 3, random)       \
  X(normal_f32, 3, random)        \
  X(normal_f64, 3, random)

enum class ScalarOp : std::uint8_t {
#define RONDO_ENUM(name, arity, kind) name,
  RONDO_SCALAR_OPS(RONDO_ENUM)
#undef RONDO_ENUM
};

struct ScalarOpInfo {
  std::string_view name;
  int arity;
  ScalarKind kind;
};

inline constexpr ScalarOpInfo kScalarOps[] = {
#define RONDO_ROW(name, arity, kind) {#name, arity, ScalarKind::kind},
    RONDO_SCALAR_OPS(RONDO_ROW)
#undef RONDO_ROW
};
inline constexpr int kScalarOpCount = static_cast<int>(sizeof(kScalarOps) / sizeof(kScalarOps[0]));

constexpr const ScalarOpInfo& scalar_op_info(ScalarOp op) {
  return kScalarOps[static_cast<int>(op)];
}

/// True if `op` is defined on operands of class `reg` (for select, the class of its branches).
constexpr bool scalar_op_takes(ScalarOp op, Reg reg) {
  switch (scalar_op_info(op).kind) {
    case ScalarKind::floating:
    case ScalarKind::test:
      return is_floating(reg);
    case ScalarKind::integer:
      return !is_floating(reg);
    case ScalarKind::round:
      return reg == Reg::i32;
    case ScalarKind::narrow:
      return reg == Reg::f32;
    case ScalarKind::random:
      return reg == Reg::i64;
    default:
      return true;
  }
}

/// The class of the result when the operands (for select, its branches) are of class `reg`.
constexpr Reg scalar_op_result(ScalarOp op, Reg reg) {
  const ScalarKind kind = scalar_op_info(op).kind;
  if (kind == ScalarKind::compare || kind == ScalarKind::test) {
    return Reg::i32;
  }
  switch (op) {
    case ScalarOp::to_i32:
    case ScalarOp::random_i32:
      return Reg::i32;
    case ScalarOp::to_i64:
      return Reg::i64;
    case ScalarOp::to_f32:
    case ScalarOp::uniform_f32:
    case ScalarOp::normal_f32:
      return Reg::f32;
    case ScalarOp::to_f64:
    case ScalarOp::uniform_f64:
    case ScalarOp::normal_f64:
      return Reg::f64;
    default:
      return reg;
  }
}

}  // namespace rondo
