// The plug-in librondo_cuda over the driver that the tests bring.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "codegen/cuda/nvrtc.h"
#include "codegen/device_target.h"

namespace rondo::codegen::cuda {

/// Null, and the reason, if it cannot be opened. To be called before anything else opens a driver.
inline DevicePlugin* stand_in_plugin(std::string& reason) {
  setenv("RONDO_CUDA_PATH", RONDO_STAND_IN, 1);
  setenv("RONDO_PLUGIN_PATH", RONDO_PLUGINS, 1);
  return cuda_plugin(reason);
}

/// Fails the test if there is no backend.
inline DeviceBackend* stand_in_backend() {
  std::string reason;
  DevicePlugin* plugin = stand_in_plugin(reason);
  DeviceBackend* backend = plugin == nullptr ? nullptr : plugin->backend(reason);
  EXPECT_NE(backend, nullptr) << reason;
  return backend;
}

inline DeviceTarget& stand_in_target() {
  std::string reason;
  return stand_in_plugin(reason)->target();
}

#define RONDO_NEEDS_COMPILER()                               \
  std::string missing;                                       \
  if (Nvrtc::get(missing) == nullptr) {                      \
    GTEST_SKIP() << "no NVRTC on this machine: " << missing; \
  }                                                          \
  static_cast<void>(0)

}  // namespace rondo::codegen::cuda
