// Opens the plug-in for GPUs.
#include "codegen/device_target.h"
#include "codegen/plugin.h"
#include "core/base/error.h"

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

void register_devices() {
  set_device_opener(DeviceType::cuda, [](std::string& reason) -> DeviceBackend* {
    DevicePlugin* plugin = cuda_plugin(reason);
    return plugin == nullptr ? nullptr : plugin->backend(reason);
  });
}

DeviceTarget& device_target(Device device) {
  std::string reason;
  DevicePlugin* plugin = device.type == DeviceType::cuda ? cuda_plugin(reason) : nullptr;
  invariant(plugin != nullptr, "kernels for a device without a plug-in");
  return plugin->target();
}

}  // namespace rondo::codegen
