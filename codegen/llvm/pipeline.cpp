#include "codegen/llvm/pipeline.h"

#include <llvm/IR/LegacyPassManager.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/IPO/AlwaysInliner.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Utils/Mem2Reg.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace rondo::codegen {
namespace {

constexpr const char* kTriple = "x86_64-unknown-linux-gnu";

std::unique_ptr<llvm::TargetMachine> make_machine() {
  static const bool registered = [] {
    // Addresses are emitted as one count and a scale already; the pass costs a tenth of a compile
    // and slowed strided loads down by a third.
    const char* options[] = {"rondo", "-disable-lsr"};
    llvm::cl::ParseCommandLineOptions(2, options);
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    return true;
  }();
  invariant(registered, "llvm: the target is not registered");
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(kTriple, error);
  check<CompileError>(target != nullptr, "llvm: no code generator: {}", error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(kTriple, "x86-64-v3", "", options, llvm::Reloc::PIC_,
                                  llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
}

/// Machines are costly to make and serve one thread at a time. The pool is never destroyed, for
/// compiler threads may outlive static objects.
class MachinePool {
 public:
  static MachinePool& instance() {
    static MachinePool& pool = *new MachinePool;
    return pool;
  }

  std::unique_ptr<llvm::TargetMachine> take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      return make_machine();
    }
    std::unique_ptr<llvm::TargetMachine> machine = std::move(free_.back());
    free_.pop_back();
    return machine;
  }

  void give_back(std::unique_ptr<llvm::TargetMachine> machine) {
    const std::lock_guard lock(mutex_);
    free_.push_back(std::move(machine));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<llvm::TargetMachine>> free_;
};

/// A machine of the pool for the time of one compile.
class Machine {
 public:
  Machine() : machine_(MachinePool::instance().take()) {}
  ~Machine() { MachinePool::instance().give_back(std::move(machine_)); }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  llvm::TargetMachine& operator*() { return *machine_; }
  llvm::TargetMachine* operator->() { return machine_.get(); }

 private:
  std::unique_ptr<llvm::TargetMachine> machine_;
};

void set_attributes(llvm::Module& module, Isa isa) {
  for (llvm::Function& function : module) {
    if (function.isIntrinsic()) {
      continue;
    }
    function.addFnAttr("target-cpu", isa == Isa::v3 ? "x86-64-v3" : "x86-64-v4");
    function.addFnAttr("prefer-vector-width", isa == Isa::v3 ? "256" : "512");
    function.addFnAttr("min-legal-vector-width", isa == Isa::v3 ? "256" : "512");
    function.addFnAttr("no-builtins");
    function.addFnAttr(llvm::Attribute::NoUnwind);
    function.removeFnAttr(llvm::Attribute::UWTable);
  }
}

void optimize(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::PassBuilder builder(&machine);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);

  llvm::FunctionPassManager cleanup;
  cleanup.addPass(llvm::PromotePass());  // what went to scalar functions by reference
  cleanup.addPass(llvm::EarlyCSEPass(false));
  llvm::ModulePassManager passes;
  passes.addPass(llvm::AlwaysInlinerPass(false));
  passes.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(cleanup)));
  passes.run(module, modules);
}

}  // namespace

void prepare_module(llvm::Module& module) {
  Machine machine;
  module.setTargetTriple(kTriple);
  module.setDataLayout(machine->createDataLayout());
}

llvm::SmallVector<char, 0> compile_module(llvm::Module& module, Isa isa) {
  Machine machine;
  set_attributes(module, isa);
  optimize(module, *machine);
  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager passes;
  const bool refused = machine->addPassesToEmitFile(passes, stream, nullptr,
                                                    llvm::CodeGenFileType::ObjectFile, true);
  check<CompileError>(!refused, "llvm: the target cannot write object files");
  passes.run(module);
  return object;
}

}  // namespace rondo::codegen
