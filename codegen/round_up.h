// Sizes divided and rounded upwards.
#pragma once

#include <cstdint>

namespace rondo::codegen {

/// For size >= 0, unit > 0.
constexpr std::int64_t divide_up(std::int64_t size, std::int64_t unit) {
  return (size + unit - 1) / unit;
}

/// The least multiple of `unit` that is not below `size`.
constexpr std::int64_t round_up(std::int64_t size, std::int64_t unit) {
  return divide_up(size, unit) * unit;
}

}  // namespace rondo::codegen
