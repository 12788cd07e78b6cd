// Where a tensor's data lives.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace rondo {

enum class DeviceType : std::uint8_t { cpu, cuda, meta };

/// A device and its number. Tensors on `meta` have metadata only.
struct Device {
  DeviceType type = DeviceType::cpu;
  std::int8_t index = 0;
  auto operator<=>(const Device&) const = default;

  /// "cpu", "cuda:0", "meta"
  std::string str() const;
  /// Whether tensors there have data that the host cannot reach.
  bool is_remote() const { return type != DeviceType::cpu && type != DeviceType::meta; }
};

/// Parses "cpu", "cuda", "cuda:1" or "meta". Errors: DeviceError.
Device device_from_name(std::string_view name);

}  // namespace rondo
