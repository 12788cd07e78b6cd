// The IR builder of the LLVM target: vectors of 16 lanes, raw addresses and counted loops.
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "codegen/canonical_order.h"
#include "core/op/scalar_op.h"
#include "core/tensor/dtype.h"

namespace rondo::codegen {

/// Of vectors: the lanes of the canonical order, and of the functions of codegen/scalar.
inline constexpr unsigned kLanes = kReduceLanes;

/// An IRBuilder with the types and idioms that kernels are made of.
class Ir : public llvm::IRBuilder<> {
 public:
  explicit Ir(llvm::LLVMContext& context) : llvm::IRBuilder<>(context) {}

  llvm::Type* scalar_type(Reg reg);
  llvm::FixedVectorType* lanes(llvm::Type* element);
  llvm::FixedVectorType* lanes(Reg reg) { return lanes(scalar_type(reg)); }

  /// The type of an element in memory, with 16-bit floats and bools as integers.
  llvm::Type* memory_type(Dtype dtype);

  llvm::ConstantInt* number(std::int64_t value) {
    return getInt64(static_cast<std::uint64_t>(value));
  }
  llvm::Constant* splat_constant(Reg reg, std::uint64_t bits);
  llvm::Value* splat(llvm::Value* scalar) { return CreateVectorSplat(kLanes, scalar); }
  llvm::Value* first_lane(llvm::Value* vector) { return CreateExtractElement(vector, number(0)); }

  /// The i64 lanes start, start + step, ...
  llvm::Value* lane_places(llvm::Value* start, llvm::Value* step);

  /// The address `bytes` after `address`.
  llvm::Value* advance(llvm::Value* address, llvm::Value* bytes) {
    return CreatePtrAdd(address, bytes);
  }

  /// A load of what no store of the kernel changes.
  llvm::Value* load_invariant(llvm::Type* type, llvm::Value* address);

  /// A stack variable, made in the entry block and aligned to 64 bytes.
  llvm::Value* stack_variable(llvm::Type* type);

  llvm::BasicBlock* block(const char* name);

  /// Branches to `block` and goes on there.
  void fall_into(llvm::BasicBlock* block) {
    CreateBr(block);
    SetInsertPoint(block);
  }
};

/// A loop under construction that tests at its end. Between construction and close, the builder is
/// inside it.
class Loop {
 public:
  Loop(Ir& ir, const char* name);

  /// A value that changes from turn to turn. To be called before anything else is emitted.
  llvm::PHINode* carry(llvm::Value* initial);

  /// Ends the loop: it goes on with the `next` values, given in the order of `carry`, while
  /// `again`.
  void close(llvm::Value* again, const std::vector<llvm::Value*>& next);

 private:
  Ir& ir_;
  llvm::BasicBlock* entry_;
  llvm::BasicBlock* start_;
  std::vector<llvm::PHINode*> carried_;
};

/// Code that runs only if a condition holds. Between construction and close, the builder is inside
/// it.
class Conditional {
 public:
  Conditional(Ir& ir, llvm::Value* condition, const char* name);

  /// Ends it and gives, for each pair, the first value if the code ran and else the second.
  std::vector<llvm::Value*> close(
      const std::vector<std::pair<llvm::Value*, llvm::Value*>>& values = {});

 private:
  Ir& ir_;
  llvm::BasicBlock* before_;
  llvm::BasicBlock* after_;
};

}  // namespace rondo::codegen
