// The scalar functions on 16 lanes, with C names. clang makes the bitcode of it that is linked into
// compiled kernels; no product links it otherwise.
#include "codegen/scalar/vector_functions.h"

namespace rondo::codegen::inline RONDO_ISA {
extern "C" {

#define RONDO_EACH(name, arity, reg, first, others)                           \
  [[gnu::always_inline]] RONDO_VECTOR_HEAD(name, arity, reg, first, others) { \
    return scalar::name(RONDO_ARGUMENTS_##arity(a, b, c));                    \
  }
RONDO_SCALAR_OPS(RONDO_VECTOR_FUNCTIONS)
#undef RONDO_EACH

}  // extern "C"
}  // namespace rondo::codegen::inline RONDO_ISA
