// The LLVM target: compiles kernels to machine code.
#pragma once

#include "codegen/target.h"

namespace rondo::codegen {

/// Compiles kernels with LLVM; any number of threads may compile at once.
class LlvmTarget final : public Target {
 public:
  LlvmTarget();
  std::string identity() const override;
  MachineCode compile(const Kernel& kernel, const Variant& variant, Isa isa) override;
};

}  // namespace rondo::codegen
