#include "codegen/llvm/scalar_bitcode.h"

// The build gives the names of the two files.
#define RONDO_EMBED(level, file)                             \
  asm(".section .rodata\n"                                   \
      ".balign 16\n"                                         \
      "rondo_scalar_" #level                                 \
      "_begin:\n"                                            \
      ".incbin \"" file                                      \
      "\"\n"                                                 \
      "rondo_scalar_" #level                                 \
      "_end:\n"                                              \
      ".previous\n");                                        \
  extern "C" {                                               \
  extern const unsigned char rondo_scalar_##level##_begin[]; \
  extern const unsigned char rondo_scalar_##level##_end[];   \
  }

RONDO_EMBED(v3, RONDO_BITCODE_V3)
RONDO_EMBED(v4, RONDO_BITCODE_V4)

namespace rondo::codegen {

std::span<const unsigned char> scalar_bitcode(Isa isa) {
  if (isa == Isa::v3) {
    return {rondo_scalar_v3_begin, rondo_scalar_v3_end};
  }
  return {rondo_scalar_v4_begin, rondo_scalar_v4_end};
}

}  // namespace rondo::codegen
