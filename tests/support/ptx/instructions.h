// The table of instructions, in families. A family gives null for what it does not know.
#pragma once

#include "tests/support/ptx/thread.h"

namespace rondo::ptx {

template <class Op>
Handler narrow_integers(Type type) {
  switch (type) {
    case Type::s16:
      return &Op::template run<std::int16_t>;
    case Type::u16:
    case Type::b16:
      return &Op::template run<std::uint16_t>;
    case Type::s32:
      return &Op::template run<std::int32_t>;
    case Type::u32:
    case Type::b32:
      return &Op::template run<std::uint32_t>;
    default:
      return nullptr;
  }
}

template <class Op>
Handler integers(Type type) {
  switch (type) {
    case Type::s64:
      return &Op::template run<std::int64_t>;
    case Type::u64:
    case Type::b64:
      return &Op::template run<std::uint64_t>;
    default:
      return narrow_integers<Op>(type);
  }
}

template <class Op>
Handler floats(Type type) {
  return type == Type::f32   ? &Op::template run<float>
         : type == Type::f64 ? &Op::template run<double>
                             : nullptr;
}

/// `name` without types and roundings: "mul.lo", "fma".
Handler find_arithmetic(const std::string& name, Code& code);
/// Comparisons: "setp.lt", "setp.eq.and".
Handler find_comparison(const std::string& name, Code& code);
/// cvt, from code.source_type to code.type.
Handler find_conversion(Code& code);
/// Loads, stores, branches, calls, barriers and shuffles.
Handler find_control(const std::string& name, Code& code);

/// IEEE half, to nearest even.
float widen_half(std::uint16_t bits);
std::uint16_t narrow_half(float value);

/// What the threads of a warp exchange: done by the machine, with the threads that wait at `code`.
struct ShuffleArguments {
  std::uint32_t value, lane_or_delta, clamp, mask;
};
bool is_shuffle(const Code& code);

}  // namespace rondo::ptx
