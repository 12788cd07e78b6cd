#include "codegen/llvm/ir.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>

namespace rondo::codegen {

llvm::Type* Ir::scalar_type(Reg reg) {
  switch (reg) {
    case Reg::i32:
      return getInt32Ty();
    case Reg::i64:
      return getInt64Ty();
    case Reg::f32:
      return getFloatTy();
    default:
      return getDoubleTy();
  }
}

llvm::FixedVectorType* Ir::lanes(llvm::Type* element) {
  return llvm::FixedVectorType::get(element, kLanes);
}

llvm::Type* Ir::memory_type(Dtype dtype) {
  if (dtype == Dtype::float32 || dtype == Dtype::float64) {
    return scalar_type(reg_of(dtype));
  }
  return getIntNTy(static_cast<unsigned>(dtype_bits(dtype)));
}

llvm::Constant* Ir::splat_constant(Reg reg, std::uint64_t bits) {
  const unsigned width = static_cast<unsigned>(reg_bytes(reg)) * 8;
  const llvm::APInt value(width, width == 32 ? bits & 0xFFFFFFFFU : bits);
  llvm::Constant* scalar = llvm::ConstantInt::get(getContext(), value);
  if (is_floating(reg)) {
    const auto& semantics =
        reg == Reg::f32 ? llvm::APFloat::IEEEsingle() : llvm::APFloat::IEEEdouble();
    scalar = llvm::ConstantFP::get(getContext(), llvm::APFloat(semantics, value));
  }
  return llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(kLanes), scalar);
}

llvm::Value* Ir::lane_places(llvm::Value* start, llvm::Value* step) {
  std::vector<llvm::Constant*> counts;
  counts.reserve(kLanes);
  for (unsigned i = 0; i < kLanes; ++i) {
    counts.push_back(getInt64(i));
  }
  llvm::Value* lane = llvm::ConstantVector::get(counts);
  return CreateAdd(splat(start), CreateMul(lane, splat(step)));
}

llvm::Value* Ir::load_invariant(llvm::Type* type, llvm::Value* address) {
  llvm::LoadInst* load = CreateLoad(type, address);
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(getContext(), {}));
  return load;
}

llvm::Value* Ir::stack_variable(llvm::Type* type) {
  const InsertPointGuard keep(*this);
  llvm::BasicBlock& entry = GetInsertBlock()->getParent()->getEntryBlock();
  SetInsertPoint(&entry, entry.getFirstInsertionPt());
  llvm::AllocaInst* variable = CreateAlloca(type);
  variable->setAlignment(llvm::Align(64));
  return variable;
}

llvm::BasicBlock* Ir::block(const char* name) {
  return llvm::BasicBlock::Create(getContext(), name, GetInsertBlock()->getParent());
}

Loop::Loop(Ir& ir, const char* name)
    : ir_(ir), entry_(ir.GetInsertBlock()), start_(ir.block(name)) {
  ir_.fall_into(start_);
}

llvm::PHINode* Loop::carry(llvm::Value* initial) {
  llvm::PHINode* phi = ir_.CreatePHI(initial->getType(), 2);
  phi->addIncoming(initial, entry_);
  carried_.push_back(phi);
  return phi;
}

void Loop::close(llvm::Value* again, const std::vector<llvm::Value*>& next) {
  for (std::size_t i = 0; i < carried_.size(); ++i) {
    carried_[i]->addIncoming(next[i], ir_.GetInsertBlock());
  }
  llvm::BasicBlock* after = ir_.block("after");
  ir_.CreateCondBr(again, start_, after);
  ir_.SetInsertPoint(after);
}

Conditional::Conditional(Ir& ir, llvm::Value* condition, const char* name)
    : ir_(ir), before_(ir.GetInsertBlock()), after_(ir.block("after")) {
  llvm::BasicBlock* inside = ir.block(name);
  ir_.CreateCondBr(condition, inside, after_);
  ir_.SetInsertPoint(inside);
}

std::vector<llvm::Value*> Conditional::close(
    const std::vector<std::pair<llvm::Value*, llvm::Value*>>& values) {
  llvm::BasicBlock* inside = ir_.GetInsertBlock();
  ir_.fall_into(after_);
  std::vector<llvm::Value*> merged;
  for (const auto& [ran, skipped] : values) {
    llvm::PHINode* phi = ir_.CreatePHI(ran->getType(), 2);
    phi->addIncoming(ran, inside);
    phi->addIncoming(skipped, before_);
    merged.push_back(phi);
  }
  return merged;
}

}  // namespace rondo::codegen
