// Runs kernels without a compiler: block by block, each block through precompiled loops.
#pragma once

#include <memory>

#include "codegen/kernel.h"

namespace rondo::codegen {

struct InterpretedProgram;

/// A kernel prepared for interpretation. It does not change after construction; any number of
/// threads may run it at once.
class InterpretedKernel {
 public:
  /// Takes the block loops of the vector level in use (core/base/isa.h). Errors: those of verify.
  explicit InterpretedKernel(const Kernel& kernel);
  ~InterpretedKernel();
  InterpretedKernel(InterpretedKernel&& other) noexcept;
  InterpretedKernel& operator=(InterpretedKernel&& other) noexcept;

  /// Runs one call. Both schedules run for any strides; they differ in speed alone. Spilled values
  /// are kept in `args.scratch`; registers and lanes in memory of the thread, reused by later runs.
  void run(const KernelArgs& args, Schedule schedule) const;

 private:
  std::unique_ptr<const InterpretedProgram> program_;
};

}  // namespace rondo::codegen
