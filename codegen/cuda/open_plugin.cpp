// The entry of librondo_cuda.so.
#include <cstring>

#include "codegen/cuda/plugin.h"
#include "codegen/plugin.h"

extern "C" [[gnu::visibility("default")]] rondo::codegen::DevicePlugin* rondo_open_device_plugin(
    const char* library_abi, const char** abi) {
  *abi = rondo::codegen::plugin_abi();
  if (std::strcmp(library_abi, *abi) != 0) {
    return nullptr;
  }
  static auto* const plugin = new rondo::codegen::cuda::CudaPlugin;  // for the life of the process
  return plugin;
}
