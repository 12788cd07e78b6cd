// Why something did not run as fast as it could: the one table of reasons.
#pragma once

#include <cstdint>
#include <string_view>

namespace rondo {

/// A reason is no error: it is counted, and `explain` lists it.
enum class FallbackReason : std::uint8_t {
  product_on_host,   // a product or convolution on a device
  function_on_host,  // a function on memory, on a device
};
inline constexpr int kFallbackReasonCount = 2;

/// What a reason says of the op.
constexpr std::string_view fallback_text(FallbackReason reason) {
  constexpr std::string_view kTexts[kFallbackReasonCount] = {
      "products have no kernel on the device: computed on the host",
      "it is a function on memory, not a kernel: computed on the host"};
  return kTexts[static_cast<int>(reason)];
}

}  // namespace rondo
