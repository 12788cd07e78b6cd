// The headers that kernels include, as text inside the program: NVRTC gets no include path.
#pragma once

#include <span>

namespace rondo::codegen::cuda {

struct DeviceSource {
  const char* name;  // as it is included: "codegen/scalar/lanes.h"
  const char* text;
};

/// Written by embed_sources.cmake from codegen/scalar and codegen/cuda/device.
std::span<const DeviceSource> device_sources();

}  // namespace rondo::codegen::cuda
