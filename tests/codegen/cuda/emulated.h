// Runs kernels as a GPU would, from the PTX that NVRTC made of them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "codegen/cuda/call.h"
#include "tests/codegen/cuda/case_call.h"
#include "tests/support/ptx/machine.h"
#include "tests/support/random_kernel.h"

namespace rondo::codegen::cuda {

/// Kernels that are compiled together, each form once: that costs a tenth of compiling them one by
/// one.
class KernelProgram {
 public:
  /// The numbers of the kernels that the plan launches.
  std::vector<int> add(const Kernel& kernel, const CudaPlan& plan);
  const std::string& source() const { return source_; }
  int count() const { return static_cast<int>(numbers_.size()); }

 private:
  std::string source_;
  std::map<std::string, int> numbers_;
};

/// "rondo_kernel_7"
std::string kernel_name(int number);

/// The PTX of a program. Errors: CompileError, PtxError.
std::unique_ptr<ptx::Module> compile_for_emulation(const KernelProgram& program);

/// Runs a plan of `kernel_case` with those kernels. `run.buffers()` then holds what memory does.
/// Errors: PtxError.
void run_emulated(ptx::Module& module, const std::vector<int>& kernels,
                  const KernelCase& kernel_case, const LaunchLimits& limits, bool last_first,
                  CaseRun& run);

}  // namespace rondo::codegen::cuda
