// Loops over the functions of the bitcode. Compiled by clang for one level, and linked with an
// object that clang makes of the bitcode of that level.
#include "codegen/scalar/vector_functions.h"

#include "codegen/scalar/block.h"

namespace rondo::codegen::inline RONDO_ISA {
namespace {

extern "C" {
#define RONDO_EACH(name, arity, reg, first, others) \
  RONDO_VECTOR_HEAD(name, arity, reg, first, others);
RONDO_SCALAR_OPS(RONDO_VECTOR_FUNCTIONS)
#undef RONDO_EACH
}

template <auto kFunction>
struct Loop;

/// n is a multiple of the lanes; arrays are aligned to 128 bytes.
template <class Out, class A, Out (*kFunction)(A)>
struct Loop<kFunction> {
  static void run(std::int64_t n, void* out, const void* a, const void*, const void*) {
    for (std::int64_t i = 0; i < n / kLanes; ++i) {
      static_cast<Out*>(out)[i] = kFunction(static_cast<const A*>(a)[i]);
    }
  }
};

template <class Out, class A, class B, Out (*kFunction)(A, B)>
struct Loop<kFunction> {
  static void run(std::int64_t n, void* out, const void* a, const void* b, const void*) {
    for (std::int64_t i = 0; i < n / kLanes; ++i) {
      static_cast<Out*>(out)[i] =
          kFunction(static_cast<const A*>(a)[i], static_cast<const B*>(b)[i]);
    }
  }
};

template <class Out, class A, class B, class C, Out (*kFunction)(A, B, C)>
struct Loop<kFunction> {
  static void run(std::int64_t n, void* out, const void* a, const void* b, const void* c) {
    for (std::int64_t i = 0; i < n / kLanes; ++i) {
      static_cast<Out*>(out)[i] = kFunction(
          static_cast<const A*>(a)[i], static_cast<const B*>(b)[i], static_cast<const C*>(c)[i]);
    }
  }
};

}  // namespace

extern "C" [[gnu::visibility("default")]] void rondo_fill_vector_blocks(BlockTable* table) {
#define RONDO_EACH(name, arity, reg, first, others)                                \
  table->functions[static_cast<int>(ScalarOp::name)][static_cast<int>(Reg::reg)] = \
      Loop<rondo_##name##_##reg>::run;
  RONDO_SCALAR_OPS(RONDO_VECTOR_FUNCTIONS)
#undef RONDO_EACH
}

}  // namespace rondo::codegen::inline RONDO_ISA
