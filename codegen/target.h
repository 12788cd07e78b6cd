// What a compiling target offers: position-independent machine code for a kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "codegen/kernel.h"
#include "core/base/isa.h"

namespace rondo::codegen {

/// Machine code without relocations or outside references: it runs wherever it is copied to, at a
/// multiple of 64.
struct MachineCode {
  std::vector<std::byte> bytes;
  std::size_t entry = 0;  // offset of the KernelFunction
};

/// A compiler for kernels. Implementations live in plug-ins, opened when first needed.
class Target {
 public:
  virtual ~Target() = default;

  /// Name and version of what makes the code: a part of cache keys.
  virtual std::string identity() const = 0;

  /// Compiles for `isa`. May be called from several threads. Errors: CompileError.
  virtual MachineCode compile(const Kernel& kernel, const Variant& variant, Isa isa) = 0;
};

}  // namespace rondo::codegen
