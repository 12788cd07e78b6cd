// Copies of tensors from one device to another, bit by bit: no kernel is needed for them.
#pragma once

#include "core/tensor/tensor.h"

namespace rondo {

/// A tensor on the host with the same elements: itself if it is there (or has no data), else a copy
/// whose elements lie as they do there.
Tensor to_host(const Tensor& tensor);

/// A tensor on `device` with the same elements: itself if it is there, else a contiguous copy.
/// Numbers without a storage stay as they are. Errors: DeviceError, OutOfMemoryError.
Tensor to_device(const Tensor& tensor, Device device);

/// Replaces the contents of `target`, contiguous and on any device, by `source`, of the same shape
/// and dtype and on the host.
void copy_from_host(const Tensor& target, const Tensor& source);

}  // namespace rondo
