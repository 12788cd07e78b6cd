#include "codegen/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <sstream>

namespace rondo::codegen {
namespace {

/// The folder of the library or program that this code is linked into, with a slash; empty if
/// unknown.
std::string own_folder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&plugin_abi), &info) == 0 || info.dli_fname == nullptr) {
    return "";
  }
  const std::string file = info.dli_fname;
  const std::size_t slash = file.rfind('/');
  return slash == std::string::npos ? "" : file.substr(0, slash + 1);
}

OpenedSymbol open_file(const std::string& file, const char* name) {
  OpenedSymbol opened;
  opened.file = file;
  opened.library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened.library == nullptr) {
    opened.reason = fmt::format("plug-in: {}", dlerror());
    return opened;
  }
  opened.symbol = dlsym(opened.library, name);
  if (opened.symbol == nullptr) {
    dlclose(opened.library);
    opened.reason = fmt::format("plug-in: {} is none: it has no {}", file, name);
  }
  return opened;
}

OpenedTarget open_llvm() {
  const char* jit = std::getenv("RONDO_JIT");
  if (jit != nullptr && std::strcmp(jit, "0") == 0) {
    return {nullptr, "plug-in: turned off by RONDO_JIT=0"};
  }
  return open_plugin(plugin_files("librondo_llvm.so"));
}

}  // namespace

const char* plugin_abi() {
  static const std::string abi =
      fmt::format("rondo {} kernel {}.{}.{}.{}", RONDO_VERSION, sizeof(Instr),
                  sizeof(KernelOperand), sizeof(KernelArgs), kScalarOpCount);
  return abi.c_str();
}

std::vector<std::string> plugin_files(const std::string& name) {
  return plugin_files(name, std::getenv("RONDO_PLUGIN_PATH"));
}

std::vector<std::string> plugin_files(const std::string& name, const char* plugin_path) {
  std::vector<std::string> files;
  if (const std::string folder = own_folder(); !folder.empty()) {
    files.push_back(folder + name);
  }
  if (plugin_path != nullptr) {
    std::istringstream folders(plugin_path);
    for (std::string folder; std::getline(folders, folder, ':');) {
      if (!folder.empty()) {
        files.push_back(fmt::format("{}/{}", folder, name));
      }
    }
  }
  files.push_back(name);
  return files;
}

OpenedSymbol open_plugin_symbol(const std::vector<std::string>& files, const char* name) {
  for (const std::string& file : files) {
    const bool searched = file.find('/') == std::string::npos;  // by the dynamic linker
    if (searched || access(file.c_str(), F_OK) == 0) {
      return open_file(file, name);
    }
  }
  OpenedSymbol none;
  none.reason = "plug-in: not found";
  return none;
}

std::string refuse_plugin(const OpenedSymbol& entry, const char* abi) {
  const std::string text = fmt::format(
      "plug-in: {} is made for another library: {}; {} is required", entry.file, abi, plugin_abi());
  dlclose(entry.library);  // `abi` lies in it
  return text;
}

OpenedTarget open_plugin(const std::vector<std::string>& files) {
  OpenedTarget opened;
  opened.target = open_offer<Target>(files, kOpenTarget, opened.reason);
  return opened;
}

const OpenedTarget& llvm_target() {
  static const OpenedTarget& opened = *new OpenedTarget(open_llvm());
  return opened;
}

}  // namespace rondo::codegen
