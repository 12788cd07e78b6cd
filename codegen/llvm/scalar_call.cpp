#include "codegen/llvm/scalar_call.h"

#include <fmt/format.h>
#include <llvm/IR/Module.h>

#include "codegen/kernel.h"
#include "core/base/error.h"

namespace rondo::codegen {
namespace {

llvm::CmpInst::Predicate predicate(ScalarOp op, bool floating) {
  switch (op) {
    case ScalarOp::eq:
      return floating ? llvm::CmpInst::FCMP_OEQ : llvm::CmpInst::ICMP_EQ;
    case ScalarOp::ne:
      return floating ? llvm::CmpInst::FCMP_UNE : llvm::CmpInst::ICMP_NE;
    case ScalarOp::lt:
      return floating ? llvm::CmpInst::FCMP_OLT : llvm::CmpInst::ICMP_SLT;
    case ScalarOp::le:
      return floating ? llvm::CmpInst::FCMP_OLE : llvm::CmpInst::ICMP_SLE;
    case ScalarOp::gt:
      return floating ? llvm::CmpInst::FCMP_OGT : llvm::CmpInst::ICMP_SGT;
    default:
      return floating ? llvm::CmpInst::FCMP_OGE : llvm::CmpInst::ICMP_SGE;
  }
}

llvm::Value* truth(Ir& ir, const Lanes& condition) {
  if (condition.flag != nullptr) {
    return condition.flag;
  }
  return ir.CreateICmpNE(condition.value, ir.splat_constant(Reg::i32, 0));
}

/// Operations that one instruction of LLVM means exactly.
llvm::Value* instruction(Ir& ir, ScalarOp op, bool floating, const Lanes& a, const Lanes& b,
                         const Lanes& c) {
  switch (op) {
    case ScalarOp::add:
      return floating ? ir.CreateFAdd(a.value, b.value) : ir.CreateAdd(a.value, b.value);
    case ScalarOp::sub:
      return floating ? ir.CreateFSub(a.value, b.value) : ir.CreateSub(a.value, b.value);
    case ScalarOp::mul:
      return floating ? ir.CreateFMul(a.value, b.value) : ir.CreateMul(a.value, b.value);
    case ScalarOp::div:
      return ir.CreateFDiv(a.value, b.value);
    case ScalarOp::neg:
      return floating ? ir.CreateFNeg(a.value) : ir.CreateNeg(a.value);
    case ScalarOp::fma:
      return ir.CreateIntrinsic(llvm::Intrinsic::fma, {a.value->getType()},
                                {a.value, b.value, c.value});
    default:
      return ir.CreateSelect(truth(ir, a), b.value, c.value);
  }
}

llvm::Value* call(Ir& ir, ScalarOp op, Reg reg, const Lanes& a, const Lanes& b, const Lanes& c) {
  const ScalarOpInfo& info = scalar_op_info(op);
  const std::string name = fmt::format("rondo_{}_{}", info.name, reg_name(reg));
  llvm::Function* function = ir.GetInsertBlock()->getModule()->getFunction(name);
  check<CompileError>(function != nullptr, "llvm: no scalar function in the bitcode: {}", name);
  std::vector<llvm::Value*> arguments{a.value, b.value, c.value};
  arguments.resize(static_cast<std::size_t>(info.arity));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (function->hasParamAttribute(static_cast<unsigned>(i), llvm::Attribute::ByVal)) {
      llvm::Value* copy = ir.stack_variable(arguments[i]->getType());
      ir.CreateAlignedStore(arguments[i], copy, llvm::Align(64));
      arguments[i] = copy;
    }
  }
  return ir.CreateCall(function, arguments);
}

}  // namespace

llvm::Value* compare(Ir& ir, ScalarOp op, Reg reg, llvm::Value* a, llvm::Value* b) {
  return ir.CreateCmp(predicate(op, is_floating(reg)), a, b);
}

Lanes apply(Ir& ir, ScalarOp op, Reg reg, const Lanes& a, const Lanes& b, const Lanes& c) {
  const bool floating = is_floating(reg);
  if (scalar_op_info(op).kind == ScalarKind::compare) {
    llvm::Value* flag = compare(ir, op, reg, a.value, b.value);
    return {ir.CreateZExt(flag, ir.lanes(Reg::i32)), flag};
  }
  if (is_call(op, reg)) {
    return {call(ir, op, reg, a, b, c), nullptr};
  }
  return {instruction(ir, op, floating, a, b, c), nullptr};
}

bool is_call(ScalarOp op, Reg reg) {
  switch (op) {
    case ScalarOp::add:
    case ScalarOp::sub:
    case ScalarOp::mul:
    case ScalarOp::neg:
    case ScalarOp::fma:
    case ScalarOp::select:
      return false;
    case ScalarOp::div:
      return !is_floating(reg);
    default:
      return scalar_op_info(op).kind != ScalarKind::compare;
  }
}

}  // namespace rondo::codegen
