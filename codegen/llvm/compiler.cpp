#include "codegen/llvm/compiler.h"

#include <fmt/format.h>
#include <generator_hash.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/ErrorHandling.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/xxhash.h>

#include <algorithm>
#include <span>

#include "codegen/llvm/kernel_emitter.h"
#include "codegen/llvm/object.h"
#include "codegen/llvm/pipeline.h"
#include "codegen/llvm/scalar_bitcode.h"
#include "codegen/llvm/scalar_call.h"
#include "codegen/llvm/scalar_library.h"
#include "core/base/error.h"

namespace rondo::codegen {
namespace {

/// LLVM would end the process. What the compile held leaks, but the program goes on with the
/// interpreter.
[[noreturn]] void throw_fatal(void*, const char* reason, bool) {
  fail<CompileError>("llvm: {}", reason);
}

struct DiagnosticSink final : llvm::DiagnosticHandler {
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() == llvm::DS_Error) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      llvm::DiagnosticPrinterRawOStream printer(stream);
      info.print(printer);
      throw_fatal(nullptr, text.c_str(), false);
    }
    return true;
  }
};

bool has_calls(const Kernel& kernel) {
  return std::any_of(kernel.code.begin(), kernel.code.end(), [&](const Instr& in) {
    return in.kind == InstrKind::op && is_call(in.scalar, kernel.op_class(in));
  });
}

}  // namespace

LlvmTarget::LlvmTarget() {
  llvm::install_fatal_error_handler(throw_fatal);
}

std::string LlvmTarget::identity() const {
  const auto hash = [](Isa isa) {
    const std::span<const unsigned char> bitcode = scalar_bitcode(isa);
    return llvm::xxh3_64bits(llvm::ArrayRef(bitcode.data(), bitcode.size()));
  };
  return fmt::format("llvm {} generator {} scalar {:016x} {:016x}", LLVM_VERSION_STRING,
                     RONDO_GENERATOR_HASH, hash(Isa::v3), hash(Isa::v4));
}

MachineCode LlvmTarget::compile(const Kernel& kernel, const Variant& variant, Isa isa) {
  llvm::LLVMContext context;
  context.setDiagnosticHandler(std::make_unique<DiagnosticSink>());
  const std::unique_ptr<llvm::Module> holder = has_calls(kernel)
                                                   ? open_scalar_library(context, isa)
                                                   : std::make_unique<llvm::Module>("", context);
  llvm::Module& module = *holder;
  prepare_module(module);
  const std::unique_ptr<KernelEmitter> emitter =
      variant.schedule == Schedule::rows ? make_rows_emitter(module, kernel, variant, isa)
                                         : make_columns_emitter(module, kernel, variant, isa);
  keep_called(module, emitter->emit());
  const llvm::SmallVector<char, 0> object = compile_module(module, isa);
  return link_object({llvm::StringRef(object.data(), object.size()), "kernel"}, "rondo_kernel");
}

}  // namespace rondo::codegen
