// Bitwise operations and shifts on integers and bools, and logical operations on truth values.
#pragma once

#include "core/op/elementwise.h"

namespace rondo {

/// Base of the bitwise operations.
template <class Op>
struct Bitwise : Elementwise<Op> {
  static constexpr DtypeSet dtypes = kBitwise;
  static constexpr bool kDifferentiable = false;
};

/// input & other
struct BitwiseAnd : Bitwise<BitwiseAnd> {
  static constexpr Schema schema{"bitwise_and(Tensor input, Tensor other) -> Tensor"};
  static auto compute(auto x, auto y) { return fn::bit_and(x, y); }
};
inline constexpr BitwiseAnd bitwise_and;

/// input | other
struct BitwiseOr : Bitwise<BitwiseOr> {
  static constexpr Schema schema{"bitwise_or(Tensor input, Tensor other) -> Tensor"};
  static auto compute(auto x, auto y) { return fn::bit_or(x, y); }
};
inline constexpr BitwiseOr bitwise_or;

/// input ^ other
struct BitwiseXor : Bitwise<BitwiseXor> {
  static constexpr Schema schema{"bitwise_xor(Tensor input, Tensor other) -> Tensor"};
  static auto compute(auto x, auto y) { return fn::bit_xor(x, y); }
};
inline constexpr BitwiseXor bitwise_xor;

/// ~input; of a bool, its opposite
struct BitwiseNot : Bitwise<BitwiseNot> {
  static constexpr Schema schema{"bitwise_not(Tensor input) -> Tensor"};
  static void expressions(ExprContext& c);
};
inline constexpr BitwiseNot bitwise_not;

/// Base of the shifts.
template <class Op>
struct Shift : Elementwise<Op> {
  static constexpr DtypeSet dtypes = kIntegral;
  static constexpr bool kDifferentiable = false;
};

/// input << other; 0 if other is negative or as large as the width
struct BitwiseLeftShift : Shift<BitwiseLeftShift> {
  static constexpr Schema schema{"bitwise_left_shift(Tensor input, Tensor other) -> Tensor"};
  static auto compute(auto x, auto y) { return fn::shl(x, y); }
};
inline constexpr BitwiseLeftShift bitwise_left_shift;

/// input >> other, with the sign; the sign alone if other is negative or as large as the width
struct BitwiseRightShift : Shift<BitwiseRightShift> {
  static constexpr Schema schema{"bitwise_right_shift(Tensor input, Tensor other) -> Tensor"};
  static auto compute(auto x, auto y) { return fn::shr(x, y); }
};
inline constexpr BitwiseRightShift bitwise_right_shift;

/// Base of the logical operations: an element is true if it is not 0.
template <class Op>
struct Logical : Elementwise<Op> {
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr auto kOutput = ElementwiseRule::Output::boolean;
  static constexpr bool kDifferentiable = false;
};

/// input and other
struct LogicalAnd : Logical<LogicalAnd> {
  static constexpr Schema schema{"logical_and(Tensor input, Tensor other) -> Tensor"};
  static auto compute(auto x, auto y) { return fn::bit_and(fn::truth(x), fn::truth(y)); }
};
inline constexpr LogicalAnd logical_and;

/// input or other
struct LogicalOr : Logical<LogicalOr> {
  static constexpr Schema schema{"logical_or(Tensor input, Tensor other) -> Tensor"};
  static auto compute(auto x, auto y) { return fn::bit_or(fn::truth(x), fn::truth(y)); }
};
inline constexpr LogicalOr logical_or;

/// exactly one of input and other
struct LogicalXor : Logical<LogicalXor> {
  static constexpr Schema schema{"logical_xor(Tensor input, Tensor other) -> Tensor"};
  static auto compute(auto x, auto y) { return fn::bit_xor(fn::truth(x), fn::truth(y)); }
};
inline constexpr LogicalXor logical_xor;

/// not input
struct LogicalNot : Logical<LogicalNot> {
  static constexpr Schema schema{"logical_not(Tensor input) -> Tensor"};
  static auto compute(auto x) { return fn::logical_not(x); }
};
inline constexpr LogicalNot logical_not;

using BitwiseOps = OpList<BitwiseAnd, BitwiseOr, BitwiseXor, BitwiseNot, BitwiseLeftShift,
                          BitwiseRightShift, LogicalAnd, LogicalOr, LogicalXor, LogicalNot>;

}  // namespace rondo
