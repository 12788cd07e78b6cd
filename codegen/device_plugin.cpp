// Opens the plug-in for GPUs.
#include "codegen/device_target.h"
#include "codegen/plugin.h"

namespace rondo::codegen {

DevicePlugin* cuda_plugin(std::string& reason) {
  struct Opened {
    std::string reason;
    DevicePlugin* plugin =
        open_offer<DevicePlugin>(plugin_files("librondo_cuda.so"), kOpenDevicePlugin, reason);
  };
  static const Opened& opened = *new Opened;
  reason = opened.reason;
  return opened.plugin;
}

}  // namespace rondo::codegen
