// Reductions over lanes: identities, the combining of two sets of lanes, and the tree.
#pragma once

#include "codegen/kernel.h"
#include "codegen/llvm/scalar_call.h"

namespace rondo::codegen {

/// What a lane holds: a value, and for argmax and argmin its place (i64).
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

  Partial identity();

  /// Takes one more element into each lane.
  Partial take(const Partial& lanes, llvm::Value* a, llvm::Value* b, llvm::Value* place);

  /// Combines two sets of lanes, the lower one first.
  Partial combine(const Partial& low, const Partial& high);

  /// The tree over the lanes, its result in the first lane.
  Partial tree(Partial lanes);

  /// `chosen` where the i1 (or lanes of i1) `condition` holds, else `other`.
  Partial select(llvm::Value* condition, const Partial& chosen, const Partial& other);

  /// What the reduction gives.
  llvm::Value* result(const Partial& lanes) const {
    return has_place() ? lanes.place : lanes.value;
  }

 private:
  llvm::Value* better(const Partial& candidate, const Partial& best);

  Ir& ir_;
  ReduceKind kind_;
  Reg value_reg_;
};

}  // namespace rondo::codegen
