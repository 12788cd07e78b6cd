// Moving tensors between devices as a step that gradients flow through.
#pragma once

#include "core/tensor/tensor.h"

namespace rondo {

/// The tensor on `device`: itself if it is there. Its gradient is moved back. Errors: DeviceError,
/// OutOfMemoryError.
Tensor move_to(const Tensor& tensor, Device device);

}  // namespace rondo
