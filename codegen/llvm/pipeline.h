// From an LLVM module to an object file: the passes, in order.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Module.h>

#include "core/base/isa.h"

namespace rondo::codegen {

/// What a module has to say about the machine before code is emitted into it.
void prepare_module(llvm::Module& module);

/// Sets the attributes of all functions, optimises and emits an object file.
llvm::SmallVector<char, 0> compile_module(llvm::Module& module, Isa isa);

}  // namespace rondo::codegen
