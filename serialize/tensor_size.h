// The bytes of a tensor whose shape comes from a file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/tensor/dtype.h"

namespace rondo::serialize {

/// The size in bytes of a contiguous tensor; nothing if a dimension is negative or the size is 2^60
/// bytes or more. A tensor with an empty dimension has 0 bytes, whatever the others are.
std::optional<std::int64_t> tensor_size_bytes(Dtype dtype, std::span<const std::int64_t> shape);

}  // namespace rondo::serialize
