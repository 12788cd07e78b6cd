// A tensor's data as it stands in files.
#pragma once

#include <span>

#include "core/tensor/tensor.h"

namespace rondo::jit {

/// The bytes of a contiguous tensor, after what was queued for it has run; they belong to the
/// tensor.
inline std::span<const std::byte> bytes_of(const Tensor& tensor) {
  return {tensor.data(), static_cast<std::size_t>(size_bytes(tensor.dtype(), tensor.numel()))};
}

}  // namespace rondo::jit
