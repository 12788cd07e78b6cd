#include "codegen/llvm/scalar_library.h"

#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Support/MemoryBuffer.h>

#include <span>
#include <vector>

#include "codegen/llvm/scalar_bitcode.h"
#include "core/base/error.h"

namespace rondo::codegen {
namespace {

/// The functions that `caller` calls and whose bodies have not been read.
std::vector<llvm::Function*> unread_functions(llvm::Function& caller) {
  std::vector<llvm::Function*> found;
  for (llvm::Instruction& instruction : llvm::instructions(caller)) {
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
      llvm::Function* called = call->getCalledFunction();
      if (called != nullptr && called->isMaterializable()) {
        found.push_back(called);
      }
    }
  }
  return found;
}

void read(llvm::Function& function) {
  if (llvm::Error error = function.materialize()) {
    fail<CompileError>("llvm: the scalar function {} cannot be read: {}", function.getName().str(),
                       llvm::toString(std::move(error)));
  }
}

void make_internal(llvm::GlobalObject& object) {
  object.setLinkage(llvm::GlobalValue::InternalLinkage);
  object.setComdat(nullptr);
}

}  // namespace

std::unique_ptr<llvm::Module> open_scalar_library(llvm::LLVMContext& context, Isa isa) {
  const std::span<const unsigned char> bytes = scalar_bitcode(isa);
  const llvm::StringRef text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  llvm::Expected<std::unique_ptr<llvm::Module>> module =
      llvm::getLazyBitcodeModule({text, "scalar functions"}, context);
  if (!module) {
    fail<CompileError>("llvm: the scalar functions cannot be read: {}",
                       llvm::toString(module.takeError()));
  }
  return std::move(*module);
}

void keep_called(llvm::Module& module, llvm::Function& root) {
  std::vector<llvm::Function*> open{&root};
  while (!open.empty()) {
    llvm::Function& caller = *open.back();
    open.pop_back();
    for (llvm::Function* called : unread_functions(caller)) {
      if (called->isMaterializable()) {  // It may have been found twice.
        read(*called);
        make_internal(*called);
        open.push_back(called);
      }
    }
  }
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (function.isMaterializable() || (function.isDeclaration() && function.use_empty())) {
      function.eraseFromParent();
    }
  }
  for (llvm::GlobalVariable& variable : llvm::make_early_inc_range(module.globals())) {
    if (variable.use_empty()) {
      variable.eraseFromParent();
    } else {
      make_internal(variable);
    }
  }
}

}  // namespace rondo::codegen
