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

/// Whether `op` on operands of class `reg` is a call.
bool is_call(ScalarOp op, Reg reg);

/// Applies `op` to operands of class `reg` (for select, the class of its branches). Unused operands
/// are empty. Errors: CompileError if the function is missing in the module.
Lanes apply(Ir& ir, ScalarOp op, Reg reg, const Lanes& a, const Lanes& b = {}, const Lanes& c = {});

/// The comparison `op` of two values of class `reg`, lanes or single: i1.
llvm::Value* compare(Ir& ir, ScalarOp op, Reg reg, llvm::Value* a, llvm::Value* b);

}  // namespace rondo::codegen
