// The scalar functions of codegen/scalar as a module of LLVM bitcode, read as far as a kernel
// needs.
#pragma once

#include <llvm/IR/Module.h>

#include <memory>

#include "core/base/isa.h"

namespace rondo::codegen {

/// A module that declares all scalar functions; their bodies are not read yet.
std::unique_ptr<llvm::Module> open_scalar_library(llvm::LLVMContext& context, Isa isa);

/// Reads the functions that `root` calls, directly or not, and drops all others.
void keep_called(llvm::Module& module, llvm::Function& root);

}  // namespace rondo::codegen
