// Machine code in executable memory.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "codegen/target.h"

namespace rondo::codegen {

/// Machine code that has been mapped to run; it is unmapped at destruction.
class LoadedCode {
 public:
  /// Copies the code to memory that is never writable and executable at once. Where the system
  /// refuses that, gives null and sets `reason`.
  static std::unique_ptr<LoadedCode> load(const MachineCode& code, std::string& reason);

  ~LoadedCode();
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;

  KernelFunction function() const { return function_; }

  /// Memory that it takes, in whole pages.
  std::size_t size_bytes() const { return size_bytes_; }

 private:
  LoadedCode(void* memory, std::size_t size_bytes, std::size_t entry);

  void* memory_;
  std::size_t size_bytes_;
  KernelFunction function_;
};

}  // namespace rondo::codegen
