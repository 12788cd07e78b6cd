// The entry of the plug-in.
#include <cstring>

#include "codegen/llvm/compiler.h"
#include "codegen/plugin.h"

extern "C" [[gnu::visibility("default")]] rondo::codegen::Target* rondo_open_target(
    const char* library_abi, const char** abi) {
  *abi = rondo::codegen::plugin_abi();
  if (std::strcmp(library_abi, *abi) != 0) {
    return nullptr;
  }
  static rondo::codegen::LlvmTarget& target = *new rondo::codegen::LlvmTarget;
  return &target;
}
