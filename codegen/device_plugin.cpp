// Opens the plug-in for GPUs.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

#include "codegen/device_target.h"
#include "codegen/plugin.h"

namespace rondo::codegen {
namespace {

struct Opened {
  DevicePlugin* plugin = nullptr;
  std::string reason;
};

Opened open_cuda() {
  const OpenedSymbol found = open_plugin_symbol(
      plugin_files("librondo_cuda.so", std::getenv("RONDO_PLUGIN_PATH")), kOpenDevicePlugin);
  if (found.symbol == nullptr) {
    return {nullptr, found.reason};
  }
  const char* abi = "unknown";
  DevicePlugin* plugin = reinterpret_cast<OpenDevicePlugin>(found.symbol)(plugin_abi(), &abi);
  if (plugin == nullptr) {
    return {nullptr, fmt::format("plug-in: {} is made for another library: {}; {} is required",
                                 found.file, abi, plugin_abi())};
  }
  return {plugin, ""};
}

}  // namespace

DevicePlugin* cuda_plugin(std::string& reason) {
  static const Opened& opened = *new Opened(open_cuda());
  reason = opened.reason;
  return opened.plugin;
}

}  // namespace rondo::codegen
