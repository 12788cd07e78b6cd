#include "core/tensor/device.h"

#include <charconv>

#include "core/base/error.h"

namespace rondo {

std::string Device::str() const {
  switch (type) {
    case DeviceType::cpu:
      return "cpu";
    case DeviceType::cuda:
      return fmt::format("cuda:{}", static_cast<int>(index));
    default:
      return "meta";
  }
}

Device device_from_name(std::string_view name) {
  const std::size_t colon = name.find(':');
  const std::string_view type = name.substr(0, colon);
  int index = 0;
  bool valid = true;
  if (colon != std::string_view::npos) {
    const std::string_view digits = name.substr(colon + 1);
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), index);
    valid = error == std::errc{} && end == digits.end() && index >= 0 && index < 128;
  }
  if (valid && type == "cpu" && index == 0) {
    return {DeviceType::cpu, 0};
  }
  if (valid && type == "cuda") {
    return {DeviceType::cuda, static_cast<std::int8_t>(index)};
  }
  if (valid && type == "meta" && index == 0) {
    return {DeviceType::meta, 0};
  }
  fail<DeviceError>("device: unknown device: '{}'; expected cpu, cuda, cuda:N or meta", name);
}

}  // namespace rondo
