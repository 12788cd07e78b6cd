// What a plug-in for devices offers beside memory: kernels that run there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/kernel.h"
#include "core/tensor/device_backend.h"

namespace rondo::codegen {

/// One call of a kernel. As KernelArgs, with loops around the rows, whose indices are i[l]: element
/// (i, r, o, c) of operand k lies at
///   data[k] + sum over l of i[l] * loop_strides[k * loops + l] + r * row_stride[k] + ...
/// where `loops` is the size of loop_sizes. Strides are in bytes.
struct DeviceCall {
  std::vector<std::uint64_t> data;  // addresses on the device
  std::vector<std::int64_t> row_stride, outer_stride, col_stride;
  std::vector<std::int64_t> loop_sizes;
  std::vector<std::int64_t> loop_strides;
  std::vector<std::uint64_t> scalars;
  std::int64_t rows = 0;
  std::int64_t outer = 1;
  std::int64_t cols = 0;
  std::int64_t first_index = 0;

  std::int64_t all_rows() const {
    std::int64_t all = rows;
    for (const std::int64_t size : loop_sizes) {
      all *= size;
    }
    return all;
  }
  std::int64_t row_elements() const { return outer * cols; }
};

/// Runs kernels on the devices of a backend, in the order of its other work.
class DeviceTarget {
 public:
  virtual ~DeviceTarget() = default;

  /// Queues the call on device `index`, after all that was queued there before. Compiles the kernel
  /// when it is new. Errors: CompileError, DeviceError, OutOfMemoryError.
  virtual void launch(int index, const Kernel& kernel, const DeviceCall& call) = 0;
};

/// A plug-in: what it holds is made when it is first asked for.
class DevicePlugin {
 public:
  virtual ~DevicePlugin() = default;

  /// Null, and the reason, where there is no device or a library is missing.
  virtual DeviceBackend* backend(std::string& reason) = 0;
  /// Only where there is a backend.
  virtual DeviceTarget& target() = 0;
  /// What was found where, for people; `good` says whether devices can be used.
  virtual std::string report(bool& good) = 0;
};

/// Tells core how to find the devices of all plug-ins, which are opened when they are first needed.
void register_devices();

/// What runs kernels on a device whose backend has been found.
DeviceTarget& device_target(Device device);

/// The plug-in librondo_cuda.so, sought like that of llvm_target; null, and the reason, if there is
/// none.
DevicePlugin* cuda_plugin(std::string& reason);

/// The name of the entry of a plug-in that offers a DevicePlugin (PluginEntry in plugin.h).
inline constexpr const char* kOpenDevicePlugin = "rondo_open_device_plugin";

}  // namespace rondo::codegen
