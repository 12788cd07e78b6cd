// From an object file to machine code that runs wherever it is copied to.
#pragma once

#include <llvm/Support/MemoryBufferRef.h>

#include "codegen/target.h"

namespace rondo::codegen {

/// Lays the code and the constants of an ELF object next to each other, applies the relocations and
/// finds the function `entry`. Errors: CompileError if the code refers to anything outside, or by
/// anything but distances.
MachineCode link_object(llvm::MemoryBufferRef object, const char* entry);

}  // namespace rondo::codegen
