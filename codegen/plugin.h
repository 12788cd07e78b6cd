// Opens the plug-ins that hold compilers: shared libraries that may be missing.
#pragma once

#include <string>
#include <vector>

#include "codegen/target.h"

namespace rondo::codegen {

/// A target, or null and the reason why there is none. A missing target is no error.
struct OpenedTarget {
  Target* target = nullptr;
  std::string reason;
};

/// The CPU compiler: of librondo_llvm.so, opened at the first call and kept for the life of the
/// process. It is sought beside the library or program that holds this code, then in the folders of
/// RONDO_PLUGIN_PATH (separated by colons), then where the dynamic linker looks. RONDO_JIT=0 turns
/// it off.
const OpenedTarget& llvm_target();

/// Opens the first of `files` that exists.
OpenedTarget open_plugin(const std::vector<std::string>& files);

/// A function that a plug-in exports, of the first of `files` that exists; null, and the reason, if
/// there is none. The library stays open.
struct OpenedSymbol {
  void* symbol = nullptr;
  void* library = nullptr;
  std::string file;
  std::string reason;
};
OpenedSymbol open_plugin_symbol(const std::vector<std::string>& files, const char* name);

/// Where a plug-in of that file name is sought. `plugin_path` is RONDO_PLUGIN_PATH, or null.
std::vector<std::string> plugin_files(const std::string& name, const char* plugin_path);

/// What library and plug-in must agree on: the version and the layout of what they exchange.
const char* plugin_abi();

/// The one function that a plug-in exports, under the name in kOpenTarget. It sets `abi` to its own
/// plugin_abi() and returns its target, or null if `library_abi` differs from it.
using OpenTarget = Target* (*)(const char* library_abi, const char** abi);
inline constexpr const char* kOpenTarget = "rondo_open_target";

}  // namespace rondo::codegen
