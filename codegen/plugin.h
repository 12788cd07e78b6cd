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

/// Where a plug-in of that file name is sought, in order: as for llvm_target.
std::vector<std::string> plugin_files(const std::string& name);

/// The same with `plugin_path` for RONDO_PLUGIN_PATH; null if there is none.
std::vector<std::string> plugin_files(const std::string& name, const char* plugin_path);

/// What library and plug-in must agree on: the version and the layout of what they exchange.
const char* plugin_abi();

/// The one function that a plug-in exports. It sets `abi` to its own plugin_abi() and returns what
/// the plug-in offers, or null if `library_abi` differs from it.
template <class Offer>
using PluginEntry = Offer* (*)(const char* library_abi, const char** abi);

/// The name of the entry of a plug-in that offers a Target.
inline constexpr const char* kOpenTarget = "rondo_open_target";

/// A symbol of a library that has been opened; null, and the reason, if there is none.
struct OpenedSymbol {
  void* symbol = nullptr;
  void* library = nullptr;
  std::string file;
  std::string reason;
};

/// The symbol `name` in the first of `files` that exists.
OpenedSymbol open_plugin_symbol(const std::vector<std::string>& files, const char* name);

/// Closes the library of an entry that gave null, having set `abi`; gives the reason for people.
std::string refuse_plugin(const OpenedSymbol& entry, const char* abi);

/// What the first of `files` that exists offers through its entry `name`; null, and the reason, if
/// there is no such file or it is made for another library. The library of an offer stays open, for
/// its code lies there.
template <class Offer>
Offer* open_offer(const std::vector<std::string>& files, const char* name, std::string& reason) {
  const OpenedSymbol entry = open_plugin_symbol(files, name);
  if (entry.symbol == nullptr) {
    reason = entry.reason;
    return nullptr;
  }
  const char* abi = "unknown";
  Offer* offer = reinterpret_cast<PluginEntry<Offer>>(entry.symbol)(plugin_abi(), &abi);
  if (offer == nullptr) {
    reason = refuse_plugin(entry, abi);
  }
  return offer;
}

}  // namespace rondo::codegen
