// The list of the scalar functions on 16 lanes: rondo_<op>_<class of operands>.
#pragma once

#include "codegen/scalar/functions.h"
#include "core/op/scalar_op.h"

namespace rondo::codegen::inline RONDO_ISA {

template <class E>
using LanesOf = With<float __attribute__((ext_vector_type(kLanes))), E>;
using LanesI32 = LanesOf<std::int32_t>;
using LanesI64 = LanesOf<std::int64_t>;
using LanesF32 = LanesOf<float>;
using LanesF64 = LanesOf<double>;

}  // namespace rondo::codegen::inline RONDO_ISA

// RONDO_SCALAR_OPS(RONDO_VECTOR_FUNCTIONS) applies RONDO_EACH(op, arity, class, first, others) to
// all operations and the classes that scalar_op_takes gives. `first` is the type of the first
// operand, `others` that of the other ones.
#define RONDO_VECTOR_FUNCTIONS(name, arity, kind) RONDO_KIND_##kind(name, arity)

#define RONDO_KIND_round(name, arity) RONDO_EACH(name, arity, i32, LanesI32, LanesI32)
#define RONDO_KIND_narrow(name, arity) RONDO_EACH(name, arity, f32, LanesF32, LanesF32)
#define RONDO_KIND_random(name, arity) RONDO_EACH(name, arity, i64, LanesI64, LanesI64)
#define RONDO_KIND_integer(name, arity)            \
  RONDO_EACH(name, arity, i32, LanesI32, LanesI32) \
  RONDO_EACH(name, arity, i64, LanesI64, LanesI64)
#define RONDO_KIND_floating(name, arity)           \
  RONDO_EACH(name, arity, f32, LanesF32, LanesF32) \
  RONDO_EACH(name, arity, f64, LanesF64, LanesF64)
#define RONDO_KIND_any(name, arity) RONDO_KIND_integer(name, arity) RONDO_KIND_floating(name, arity)
#define RONDO_KIND_compare(name, arity) RONDO_KIND_any(name, arity)
#define RONDO_KIND_convert(name, arity) RONDO_KIND_any(name, arity)
#define RONDO_KIND_test(name, arity) RONDO_KIND_floating(name, arity)
#define RONDO_KIND_select(name, arity)             \
  RONDO_EACH(name, arity, i32, LanesI32, LanesI32) \
  RONDO_EACH(name, arity, i64, LanesI32, LanesI64) \
  RONDO_EACH(name, arity, f32, LanesI32, LanesF32) \
  RONDO_EACH(name, arity, f64, LanesI32, LanesF64)

// Parameters and arguments of each arity.
#define RONDO_PARAMETERS_1(first, others) first a
#define RONDO_PARAMETERS_2(first, others) first a, others b
#define RONDO_PARAMETERS_3(first, others) first a, others b, others c
#define RONDO_ARGUMENTS_1(a, b, c) a
#define RONDO_ARGUMENTS_2(a, b, c) a, b
#define RONDO_ARGUMENTS_3(a, b, c) a, b, c

// The head of a function, a declaration or the start of a definition.
#define RONDO_VECTOR_HEAD(name, arity, reg, first, others)                  \
  decltype(rondo::codegen::RONDO_ISA::scalar::name(RONDO_ARGUMENTS_##arity( \
      first{}, others{}, others{}))) rondo_##name##_##reg(RONDO_PARAMETERS_##arity(first, others))
