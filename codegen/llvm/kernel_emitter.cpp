#include "codegen/llvm/kernel_emitter.h"

#include <llvm/IR/Module.h>

#include <algorithm>

namespace rondo::codegen {

KernelEmitter::KernelEmitter(llvm::Module& module, const Kernel& kernel, const Variant& variant,
                             Isa isa)
    : kernel_(kernel),
      variant_(variant),
      isa_(isa),
      phases_(plan_phases(kernel)),
      reduces_(kernel.has_reduction()),
      ir_(module.getContext()),
      module_(module),
      values_(kernel.code.size()),
      uniform_(uniform_values(kernel)) {}

llvm::Function& KernelEmitter::emit() {
  auto* type = llvm::FunctionType::get(ir_.getVoidTy(), {ir_.getPtrTy()}, false);
  function_ =
      llvm::Function::Create(type, llvm::Function::ExternalLinkage, "rondo_kernel", module_);
  function_->setDSOLocal(true);
  ir_.SetInsertPoint(llvm::BasicBlock::Create(ir_.getContext(), "entry", function_));
  load_fields();
  for (std::size_t i = 0; i < kernel_.code.size(); ++i) {
    const int n = static_cast<int>(i);
    const Instr& in = instr(n);
    if (!is_uniform(n)) {
      continue;
    }
    if (in.kind == InstrKind::constant) {
      computed(n) = {ir_.splat_constant(in.reg, in.bits), nullptr};
    } else if (in.kind == InstrKind::scalar) {
      llvm::Type* scalar = ir_.scalar_type(in.reg);
      computed(n) = {ir_.splat(item(offsetof(KernelArgs, scalars), in.operand, scalar)), nullptr};
    } else {
      computed(n) = apply_op(n, nullptr);
    }
  }
  emit_loops();
  ir_.CreateRetVoid();
  return *function_;
}

void KernelEmitter::load_fields() {
  llvm::Type* i64 = ir_.getInt64Ty();
  rows_ = field(offsetof(KernelArgs, rows), i64);
  outer_ = reduces_ ? field(offsetof(KernelArgs, outer), i64) : ir_.number(1);
  cols_ = field(offsetof(KernelArgs, cols), i64);
  row_elements_ = ir_.CreateMul(outer_, cols_);
  first_index_ = field(offsetof(KernelArgs, first_index), i64);
  scratch_ = field(offsetof(KernelArgs, scratch), ir_.getPtrTy());
}

llvm::Value* KernelEmitter::field(std::size_t offset, llvm::Type* type) {
  llvm::Value* bytes = ir_.number(static_cast<std::int64_t>(offset));
  return ir_.load_invariant(type, ir_.advance(function_->getArg(0), bytes));
}

llvm::Value* KernelEmitter::item(std::size_t offset, int n, llvm::Type* type) {
  llvm::Value* array = field(offset, ir_.getPtrTy());
  return ir_.load_invariant(type, ir_.advance(array, ir_.number(std::int64_t{8} * n)));
}

llvm::Value* KernelEmitter::row_stride(int operand) {
  return item(offsetof(KernelArgs, row_stride), operand, ir_.getInt64Ty());
}

llvm::Value* KernelEmitter::col_stride(int operand) {
  return item(offsetof(KernelArgs, col_stride), operand, ir_.getInt64Ty());
}

llvm::Value* KernelEmitter::row_address(int operand, llvm::Value* row) {
  llvm::Value* data = item(offsetof(KernelArgs, data), operand, ir_.getPtrTy());
  return ir_.advance(data, ir_.CreateMul(row, row_stride(operand)));
}

llvm::Value* KernelEmitter::element_address(int operand, llvm::Value* address, llvm::Value* o,
                                            llvm::Value* c, StrideClass c_stride) {
  if (reduces_) {
    llvm::Value* stride = item(offsetof(KernelArgs, outer_stride), operand, ir_.getInt64Ty());
    address = ir_.advance(address, ir_.CreateMul(o, stride));
  }
  if (c_stride == StrideClass::zero) {
    return address;
  }
  llvm::Value* stride = col_stride(operand);
  if (c_stride == StrideClass::unit) {
    const Dtype dtype = kernel_.operands[static_cast<std::size_t>(operand)].dtype;
    stride = ir_.number(size_bytes(dtype, 1));
  }
  return ir_.advance(address, ir_.CreateMul(c, stride));
}

KernelEmitter::Position KernelEmitter::move_on(llvm::Value* o, llvm::Value* c) {
  llvm::Value* column_end = ir_.CreateICmpSGE(c, cols_);
  llvm::Value* next_o = ir_.CreateAdd(o, ir_.CreateZExt(column_end, ir_.getInt64Ty()));
  llvm::Value* next_c = ir_.CreateSelect(column_end, ir_.number(0), c);
  return {next_o, next_c, ir_.CreateICmpSLT(next_o, outer_)};
}

Lanes KernelEmitter::value(int n, llvm::Value* i) {
  if (instr(n).level == Level::row && !is_uniform(n)) {
    return row_value(n, i);
  }
  return computed(n);
}

Lanes KernelEmitter::apply_op(int n, llvm::Value* i) {
  const Instr& in = instr(n);
  const auto use = [&](int used) { return used < 0 ? Lanes{} : value(used, i); };
  return apply(ir_, in.scalar, kernel_.op_class(in), use(in.a), use(in.b), use(in.c));
}

void KernelEmitter::emit_step(const Phase& phase, Strip& strip, llvm::Value* i) {
  for (const int n : phase.reloads) {
    llvm::Value* lanes =
        ir_.CreateAlignedLoad(ir_.lanes(instr(n).reg), spill_address(n, i), llvm::Align(4));
    computed(n) = {lanes, nullptr};
  }
  for (const int n : phase.element_code) {
    const Instr& in = instr(n);
    if (in.kind == InstrKind::load) {
      computed(n) = {strip.load(in.operand, i), nullptr};
    } else if (in.kind == InstrKind::index) {
      computed(n) = {index_lanes(i), nullptr};
    } else if (in.kind == InstrKind::op) {
      computed(n) = apply_op(n, i);
    } else {
      strip.store(in.operand, i, value(in.a, i).value);
    }
    if (std::find(phase.spills.begin(), phase.spills.end(), n) != phase.spills.end()) {
      ir_.CreateAlignedStore(computed(n).value, spill_address(n, i), llvm::Align(4));
    }
  }
}

}  // namespace rondo::codegen
