// Scalar operations as LLVM IR: the simplest as instructions, all others as calls of the functions
// of codegen/scalar, which come as bitcode.
#pragma once

#include "codegen/llvm/ir.h"

namespace rondo::codegen {

/// Lanes of a register class; of a truth value also the i1 lanes that it was made from, if known.
struct Lanes {
  llvm::Value* value = nullptr;
  llvm::Value* flag = nullptr;
};

/// Applies `op` to operands of class `reg` (for select, the class of its branches). Unused operands
/// are empty. Errors: CompileError if the function is missing in the module
Lanes apply(Ir& ir, ScalarOp op, Reg reg, const Lanes& a, const Lanes& b = {}, const Lanes& c = {});

}  // namespace rondo::codegen
