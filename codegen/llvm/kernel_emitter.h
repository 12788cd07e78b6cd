// Emits a kernel as one LLVM function. This is what both schedules share; their loops are in
// rows.cpp and columns.cpp.
#pragma once

#include <memory>
#include <vector>

#include "codegen/kernel.h"
#include "codegen/llvm/reduction.h"
#include "codegen/llvm/scalar_call.h"
#include "codegen/llvm/strip.h"
#include "core/base/isa.h"

namespace rondo::codegen {

/// The state of one reduction between chunks of its steps: the lanes of the block under way, and
/// what the blocks before it gave.
struct Accumulator {
  Partial lanes;
  Partial result;
};

class KernelEmitter {
 public:
  virtual ~KernelEmitter() = default;

  /// Emits the function `rondo_kernel` into the module.
  llvm::Function& emit();

 protected:
  KernelEmitter(llvm::Module& module, const Kernel& kernel, const Variant& variant, Isa isa);

  /// Emits the loops, between the entry block and the return.
  virtual void emit_loops() = 0;

  /// The lanes of row value `n` at offset i of the strip.
  virtual Lanes row_value(int n, llvm::Value* i) = 0;
  /// The lanes of `index` at offset i of the strip.
  virtual llvm::Value* index_lanes(llvm::Value* i) = 0;
  /// Where spilled value `n` of the elements at offset i of the strip is kept.
  virtual llvm::Value* spill_address(int n, llvm::Value* i) = 0;

  const Instr& instr(int n) const { return kernel_.code[static_cast<std::size_t>(n)]; }
  Lanes& computed(int n) { return values_[static_cast<std::size_t>(n)]; }
  /// The lanes of any value at offset i of the strip.
  Lanes value(int n, llvm::Value* i);
  Lanes apply_op(int n, llvm::Value* i);

  /// Row values that are the same in all rows; they are computed at the entry.
  bool is_uniform(int n) const { return uniform_[static_cast<std::size_t>(n)] != 0; }

  /// The element code of a phase for the 16 elements at offset i of the strip.
  void emit_step(const Phase& phase, Strip& strip, llvm::Value* i);

  /// Where a walk over the columns of each o is. It is over where `again`, an i1, does not hold.
  struct Position {
    llvm::Value* o;
    llvm::Value* c;
    llvm::Value* again;
  };
  /// Goes on to column `c` of o, or if there is none to the first column of the next o.
  Position move_on(llvm::Value* o, llvm::Value* c);

  static bool has_element_work(const Phase& phase) {
    return !phase.element_code.empty() || !phase.reductions.empty();
  }

  /// Fields of KernelArgs: a member, and item n of an array that a member points to.
  llvm::Value* field(std::size_t offset, llvm::Type* type);
  llvm::Value* item(std::size_t offset, int n, llvm::Type* type);

  /// data[n] + row * row_stride[n]
  llvm::Value* row_address(int operand, llvm::Value* row);
  /// address + o * outer_stride[n] + c * col_stride[n]; `c_stride` says which c matter.
  llvm::Value* element_address(int operand, llvm::Value* address, llvm::Value* o, llvm::Value* c,
                               StrideClass c_stride);
  llvm::Value* row_stride(int operand);
  llvm::Value* col_stride(int operand);

  const Kernel& kernel_;
  const Variant& variant_;
  const Isa isa_;
  const std::vector<Phase> phases_;
  const bool reduces_;
  Ir ir_;
  llvm::Function* function_ = nullptr;
  llvm::Value* rows_ = nullptr;
  llvm::Value* outer_ = nullptr;
  llvm::Value* cols_ = nullptr;
  llvm::Value* row_elements_ = nullptr;  // outer * cols
  llvm::Value* first_index_ = nullptr;
  llvm::Value* scratch_ = nullptr;

 private:
  void load_fields();

  llvm::Module& module_;
  std::vector<Lanes> values_;
  std::vector<char> uniform_;
};

std::unique_ptr<KernelEmitter> make_rows_emitter(llvm::Module& module, const Kernel& kernel,
                                                 const Variant& variant, Isa isa);
std::unique_ptr<KernelEmitter> make_columns_emitter(llvm::Module& module, const Kernel& kernel,
                                                    const Variant& variant, Isa isa);

}  // namespace rondo::codegen
