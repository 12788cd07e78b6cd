// The first runs of a compiled kernel are compared with the interpreter, which gives the results.
#pragma once

#include <cstdint>
#include <vector>

#include "jit/launch.h"

namespace rondo::jit {

/// Runs both forms if the kernel is new and its results are not too large; false if it did nothing.
bool shadow_launch(const BoundKernel& kernel, const std::vector<std::byte*>& data,
                   const std::uint64_t* scalars);

}  // namespace rondo::jit
