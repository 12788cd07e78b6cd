// Reductions over lanes: identities, the combining of two sets of lanes, and the tree.
#pragma once

#include "codegen/kernel.h"
#include "codegen/llvm/scalar_call.h"

namespace rondo::codegen {

/// What a lane holds: a value, and for argmax and argmin its place (i64). Either 16 lanes or one.
struct Partial {
  llvm::Value* value = nullptr;
  llvm::Value* place = nullptr;
};

/// How one reduction of a kernel works.
class Reducer {
 public:
  Reducer(Ir& ir, const Kernel& kernel, const Instr& instr);

  Reg value_reg() const { return value_reg_; }
  bool has_place() const;

  /// The identity of a single value, and in all lanes.
  Partial identity();
  Partial identity_lanes();

  /// Takes one more element into each lane.
  Partial take(const Partial& lanes, llvm::Value* a, llvm::Value* b, llvm::Value* place);

  /// Combines two partial results, the lower one first.
  Partial combine(const Partial& low, const Partial& high);

  /// The tree over the lanes: a single value.
  Partial tree(Partial lanes);

  /// `chosen` where the i1 (or lanes of i1) `condition` holds, else `other`.
  Partial select(llvm::Value* condition, const Partial& chosen, const Partial& other);

  /// What the reduction gives.
  llvm::Value* result(const Partial& partial) const {
    return has_place() ? partial.place : partial.value;
  }

 private:
  llvm::Value* is_nan(llvm::Value* value);
  llvm::Value* better(const Partial& candidate, const Partial& best);
  llvm::Value* extreme(llvm::Value* low, llvm::Value* high);

  Ir& ir_;
  ReduceKind kind_;
  Reg value_reg_;
};

}  // namespace rondo::codegen
