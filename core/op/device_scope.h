// Which device a call runs on: that of its tensors, or of the scope where it has none.
#pragma once

#include <span>

#include "core/op/op_info.h"

namespace rondo {

/// Where this thread's calls without tensors put their results: the host unless a scope says
/// otherwise.
Device& default_device();

/// Sets it for a scope.
class DeviceScope {
 public:
  explicit DeviceScope(Device device) : previous_(default_device()) { default_device() = device; }
  ~DeviceScope() { default_device() = previous_; }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;

 private:
  Device previous_;
};

/// The device of the first tensor that is not on the host, else the host; `default_device()` if
/// there are only numbers.
Device device_of(std::span<const Tensor> tensors);

/// The operands of a call where it runs. Elementwise calls take tensors of rank 0 from the host and
/// ops with `moves_operands` take any: these are replaced by copies on the call's device.
class PlacedInputs {
 public:
  /// The call runs on the device of its first operand if that is written, else on `device_of`.
  /// Errors: DeviceError that names the op, the argument and both devices.
  PlacedInputs(const OpInfo& op, std::span<const Tensor> inputs, bool writes_first);

  Device device() const { return device_; }
  std::span<const Tensor> inputs() const { return inputs_; }

 private:
  Device device_;
  std::span<const Tensor> inputs_;
  std::vector<Tensor> moved_;
};

}  // namespace rondo
