// The names of enumerations in a manifest, and the checks between its parts.
#pragma once

#include <array>
#include <string_view>

#include "serialize/manifest.h"

namespace rondo::serialize {

// In the order of the enumerators.
inline constexpr std::array<std::string_view, 2> kModeNames{"eval", "train"};
inline constexpr std::array<std::string_view, 2> kNumericsNames{"exact", "fast"};
inline constexpr std::array<std::string_view, 3> kRoleNames{"parameter", "buffer", "constant"};
inline constexpr std::array<std::string_view, 2> kDeviceKindNames{"cpu", "cuda"};
inline constexpr std::array<std::string_view, 1> kGeneratorNames{"philox4x32-10"};

/// Checks what no field alone can show: names that are unique, names that refer to something,
/// modes, signatures and states that fit. Errors: FormatError.
void check_manifest(const Manifest& manifest);

}  // namespace rondo::serialize
