// The sizes that the canonical order of reductions is made of (docs/numerics.md). They are a part
// of the definition of results, not of their speed.
#pragma once

#include <cstdint>

namespace rondo::codegen {

/// Lanes that the elements of a row are dealt to, one step after the other.
inline constexpr int kReduceLanes = 16;

/// Steps of a block. At its end the lanes are combined, and begin anew.
inline constexpr std::int64_t kReduceBlockSteps = 64;

}  // namespace rondo::codegen
