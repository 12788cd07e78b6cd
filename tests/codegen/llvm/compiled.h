// Compiles a kernel with the LLVM plug-in and loads it.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>

#include "codegen/machine_code.h"
#include "codegen/plugin.h"

namespace rondo::codegen {

inline Target& llvm_target_of_test() {
  const OpenedTarget& opened = llvm_target();
  if (opened.target == nullptr) {
    throw std::runtime_error(opened.reason);
  }
  return *opened.target;
}

inline std::unique_ptr<LoadedCode> load_code(const MachineCode& code) {
  std::string reason;
  std::unique_ptr<LoadedCode> loaded = LoadedCode::load(code, reason);
  if (loaded == nullptr) {
    throw std::runtime_error(reason);
  }
  return loaded;
}

inline std::unique_ptr<LoadedCode> compile_and_load(const Kernel& kernel, const Variant& variant,
                                                    Isa isa) {
  return load_code(llvm_target_of_test().compile(kernel, variant, isa));
}

}  // namespace rondo::codegen
