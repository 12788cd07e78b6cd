// Elements along the vector axis, taken 16 at a time by one loop body: for the last few, operands
// are redirected to padded buffers on the stack.
#pragma once

#include <vector>

#include "codegen/kernel.h"
#include "codegen/llvm/memory.h"
#include "core/base/isa.h"

namespace rondo::codegen {

/// An operand of the loop body.
struct StripOperand {
  int number = 0;
  Dtype dtype = Dtype::float32;
  bool written = false;
  Place start;                         // of the next element to be taken, in memory
  llvm::Value* ahead_bytes = nullptr;  // loads also prefetch what lies this far ahead
  llvm::Value* buffer = nullptr;
  Place place;                   // of the same element, in memory or in the buffer
  llvm::Value* value = nullptr;  // of class `zero`: the element in all lanes
};

/// Use: set `start` of each operand, call `enter`, emit a loop over `load` and `store`, call
/// `leave`.
class Strip {
 public:
  /// Of the loads and stores among the instructions `code` that are of `level`.
  Strip(Ir& ir, const Kernel& kernel, const Variant& variant, Isa isa, const std::vector<int>& code,
        Level level);

  std::vector<StripOperand>& operands() { return operands_; }

  /// `remaining` elements are left; if they are less than 16 (the i1 `tail`), one turn takes them
  /// through the buffers.
  void enter(llvm::Value* tail, llvm::Value* remaining);

  /// The lanes of elements i .. i + 15 after `start`.
  llvm::Value* load(int operand, llvm::Value* i);
  void store(int operand, llvm::Value* i, llvm::Value* lanes);

  /// Takes what the tail has written out of the buffers.
  void leave();

  /// i1 lanes: those that hold elements.
  llvm::Value* mask() const { return mask_; }

 private:
  enum class Copy : std::uint8_t { by_mask, by_halves, one_by_one };
  Copy copy_of(const StripOperand& operand) const;
  void copy(bool written);
  void copy_by_mask(const StripOperand& operand);
  void copy_by_halves(const std::vector<const StripOperand*>& operands);
  void copy_one_by_one(const std::vector<const StripOperand*>& operands);
  void copy_part(const StripOperand& operand, llvm::Type* type, llvm::Value* element,
                 llvm::Value* stride_bytes);
  const StripOperand& find(int operand) const;
  Place place_of(const StripOperand& operand, llvm::Value* i);

  Ir& ir_;
  Isa isa_;
  std::vector<StripOperand> operands_;
  llvm::Value* tail_ = nullptr;
  llvm::Value* remaining_ = nullptr;
  llvm::Value* mask_ = nullptr;
};

}  // namespace rondo::codegen
