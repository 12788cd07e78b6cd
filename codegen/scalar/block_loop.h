// Turns a scalar function into a block loop. Included by files that are compiled at a vector level.
#pragma once

#include <cstdint>

#include "codegen/scalar/block.h"
#include "codegen/scalar/lanes.h"

/// Opens the function that fills the table with the loops of one family.
#define RONDO_BLOCK_FAMILY(name)               \
  namespace rondo::codegen::inline RONDO_ISA { \
  void fill_##name(BlockTable& table);         \
  }                                            \
  void rondo::codegen::RONDO_ISA::fill_##name(BlockTable& table)

/// The loops of a function of the same name as its operation, for all its classes or those named.
#define RONDO_BLOCK(name, ...)                          \
  set_loops<ScalarOp::name __VA_OPT__(, ) __VA_ARGS__>( \
      table, [](auto... x) __attribute__((always_inline)) { return scalar::name(x...); })

namespace rondo::codegen::inline RONDO_ISA {

template <Reg R>
struct RegisterOf;
template <>
struct RegisterOf<Reg::i32> {
  using Type = std::int32_t;
};
template <>
struct RegisterOf<Reg::i64> {
  using Type = std::int64_t;
};
template <>
struct RegisterOf<Reg::f32> {
  using Type = float;
};
template <>
struct RegisterOf<Reg::f64> {
  using Type = double;
};
template <Reg R>
using Register = typename RegisterOf<R>::Type;

/// n is a multiple of kLanes, which the mask tells the vectoriser, so it needs no remainder loop.
template <class Function, class Out, class A>
[[gnu::noinline]] void run_whole(std::int64_t n, Out* out, const A* a) {
  n &= -kLanes;
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) {
    out[i] = Function{}(a[i]);
  }
}

template <class Function, class Out, class A, class B>
[[gnu::noinline]] void run_whole(std::int64_t n, Out* out, const A* a, const B* b) {
  n &= -kLanes;
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) {
    out[i] = Function{}(a[i], b[i]);
  }
}

template <class Function, class Out, class A, class B, class C>
[[gnu::noinline]] void run_whole(std::int64_t n, Out* out, const A* a, const B* b, const C* c) {
  n &= -kLanes;
#pragma GCC ivdep
  for (std::int64_t i = 0; i < n; ++i) {
    out[i] = Function{}(a[i], b[i], c[i]);
  }
}

/// The last registers of an array, in a full set of lanes.
template <class T>
struct alignas(64) Padded {
  T at[kLanes] = {};
  Padded(const T* from, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      at[i] = from[i];
    }
  }
};

/// A loop over any n: whole lanes in place, the rest through padded copies.
template <class Function, class Out, class... In>
void run(std::int64_t n, Out* out, const In*... in) {
  const std::int64_t whole = n & -kLanes;
  if (whole != 0) {
    run_whole<Function>(whole, out, in...);
  }
  if (const std::int64_t rest = n - whole; rest != 0) {
    Padded<Out> last(nullptr, 0);
    run_whole<Function>(kLanes, last.at, Padded<In>(in + whole, rest).at...);
    for (std::int64_t i = 0; i < rest; ++i) {
      out[whole + i] = last.at[i];
    }
  }
}

template <class Parts>
struct FastPart {
  template <class... L>
  [[gnu::always_inline]] auto operator()(L... x) const {
    return Parts::fast(x...);
  }
};

template <class Parts, class T, class... In>
bool all_in_range(std::int64_t n, const In*... in) {
  Signed<T> good = -1;
  for (std::int64_t i = 0; i < n; ++i) {
    good &= Parts::in_range(in[i]...) ? Signed<T>{-1} : Signed<T>{0};
  }
  return good != 0;
}

/// A loop for a function with a rare slow range: a piece that has slow elements is computed aside,
/// for `out` may be an operand, and repaired one by one.
template <class Parts, class T, class... In>
void run_repaired(std::int64_t n, T* out, const In*... in) {
  constexpr std::int64_t kPiece = 256;
  for (std::int64_t begin = 0; begin < n; begin += kPiece) {
    const std::int64_t count = n - begin < kPiece ? n - begin : kPiece;
    if (all_in_range<Parts, T>(count, (in + begin)...)) [[likely]] {
      run<FastPart<Parts>>(count, out + begin, (in + begin)...);
      continue;
    }
    alignas(64) T aside[kPiece];
    run<FastPart<Parts>>(count, aside, (in + begin)...);
    for (std::int64_t i = begin; i < begin + count; ++i) {
      out[i] = Parts::in_range(in[i]...) ? aside[i - begin] : Parts::slow(in[i]...);
    }
  }
}

/// The type-erased loops of Op on operands of class R.
template <ScalarOp Op, Reg R, class Function>
void plain_loop(std::int64_t n, void* out, const void* a, [[maybe_unused]] const void* b,
                [[maybe_unused]] const void* c) {
  constexpr ScalarOpInfo kInfo = scalar_op_info(Op);
  constexpr Reg kFirst = kInfo.kind == ScalarKind::select ? Reg::i32 : R;
  auto* const result = static_cast<Register<scalar_op_result(Op, R)>*>(out);
  const auto* const first = static_cast<const Register<kFirst>*>(a);
  const auto* const second = static_cast<const Register<R>*>(b);
  if constexpr (kInfo.arity == 1) {
    run<Function>(n, result, first);
  } else if constexpr (kInfo.arity == 2) {
    run<Function>(n, result, first, second);
  } else {
    run<Function>(n, result, first, second, static_cast<const Register<R>*>(c));
  }
}

template <ScalarOp Op, Reg R, class Parts>
void repaired_loop(std::int64_t n, void* out, const void* a, [[maybe_unused]] const void* b,
                   const void*) {
  using T = Register<R>;
  if constexpr (scalar_op_info(Op).arity == 1) {
    run_repaired<Parts>(n, static_cast<T*>(out), static_cast<const T*>(a));
  } else {
    run_repaired<Parts>(n, static_cast<T*>(out), static_cast<const T*>(a),
                        static_cast<const T*>(b));
  }
}

template <ScalarOp Op, Reg R, class Function>
void set_loop(BlockTable& table) {
  if constexpr (scalar_op_takes(Op, R)) {
    table.functions[static_cast<int>(Op)][static_cast<int>(R)] = plain_loop<Op, R, Function>;
  }
}

/// Fills in the loops of Op for the classes R, or for all that it takes if none is named.
template <ScalarOp Op, Reg... R, class Function>
void set_loops(BlockTable& table, Function) {
  if constexpr (sizeof...(R) == 0) {
    set_loops<Op, Reg::i32, Reg::i64, Reg::f32, Reg::f64>(table, Function{});
  } else {
    (..., set_loop<Op, R, Function>(table));
  }
}

/// The same from the parts of a function with a rare slow range.
template <ScalarOp Op, class Parts, Reg... R>
void set_repaired_loops(BlockTable& table) {
  (..., (table.functions[static_cast<int>(Op)][static_cast<int>(R)] = repaired_loop<Op, R, Parts>));
}

}  // namespace rondo::codegen::inline RONDO_ISA
