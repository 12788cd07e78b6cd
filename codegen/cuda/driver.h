// The CUDA driver, reached through a table that dlopen fills. The declarations are our own, so that
// no header of CUDA is needed; tests/codegen/cuda/driver_header_test.cpp compares them with cuda.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace rondo::codegen::cuda {

using DriverResult = int;  // 0 is success
using DevicePointer = unsigned long long;
using DriverHandle = void*;  // contexts, streams, events, modules, functions, pools

inline constexpr DriverResult kDriverSuccess = 0;
inline constexpr DriverResult kDriverOutOfMemory = 2;
inline constexpr DriverResult kDriverNotReady = 600;

/// Attributes of devices and pools that are asked for.
inline constexpr int kMultiprocessorCount = 16;
inline constexpr int kCapabilityMajor = 75;
inline constexpr int kCapabilityMinor = 76;
inline constexpr int kMemoryPoolsSupported = 115;
inline constexpr int kPoolReleaseThreshold = 4;
inline constexpr int kPoolReserved = 5;
inline constexpr int kPoolReservedHigh = 6;
inline constexpr int kPoolUsed = 7;
inline constexpr int kPoolUsedHigh = 8;
inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kEventDisableTiming = 2;

// X(member, symbol, parameters)
#define RONDO_DRIVER_FUNCTIONS(X)                                                                  \
  X(init, cuInit, (unsigned))                                                                      \
  X(version, cuDriverGetVersion, (int*))                                                           \
  X(error_name, cuGetErrorName, (DriverResult, const char**))                                      \
  X(error_text, cuGetErrorString, (DriverResult, const char**))                                    \
  X(device_count, cuDeviceGetCount, (int*))                                                        \
  X(device_name, cuDeviceGetName, (char*, int, int))                                               \
  X(device_memory, cuDeviceTotalMem_v2, (std::size_t*, int))                                       \
  X(device_attribute, cuDeviceGetAttribute, (int*, int, int))                                      \
  X(retain_context, cuDevicePrimaryCtxRetain, (DriverHandle*, int))                                \
  X(set_context, cuCtxSetCurrent, (DriverHandle))                                                  \
  X(synchronize, cuCtxSynchronize, ())                                                             \
  X(create_stream, cuStreamCreate, (DriverHandle*, unsigned))                                      \
  X(destroy_stream, cuStreamDestroy_v2, (DriverHandle))                                            \
  X(synchronize_stream, cuStreamSynchronize, (DriverHandle))                                       \
  X(wait_event, cuStreamWaitEvent, (DriverHandle, DriverHandle, unsigned))                         \
  X(create_event, cuEventCreate, (DriverHandle*, unsigned))                                        \
  X(destroy_event, cuEventDestroy_v2, (DriverHandle))                                              \
  X(record_event, cuEventRecord, (DriverHandle, DriverHandle))                                     \
  X(query_event, cuEventQuery, (DriverHandle))                                                     \
  X(synchronize_event, cuEventSynchronize, (DriverHandle))                                         \
  X(default_pool, cuDeviceGetDefaultMemPool, (DriverHandle*, int))                                 \
  X(set_pool_attribute, cuMemPoolSetAttribute, (DriverHandle, int, void*))                         \
  X(pool_attribute, cuMemPoolGetAttribute, (DriverHandle, int, void*))                             \
  X(trim_pool, cuMemPoolTrimTo, (DriverHandle, std::size_t))                                       \
  X(allocate, cuMemAllocAsync, (DevicePointer*, std::size_t, DriverHandle))                        \
  X(release, cuMemFreeAsync, (DevicePointer, DriverHandle))                                        \
  X(copy_to_device, cuMemcpyHtoDAsync_v2, (DevicePointer, const void*, std::size_t, DriverHandle)) \
  X(copy_to_host, cuMemcpyDtoHAsync_v2, (void*, DevicePointer, std::size_t, DriverHandle))         \
  X(copy_on_device, cuMemcpyDtoDAsync_v2,                                                          \
    (DevicePointer, DevicePointer, std::size_t, DriverHandle))                                     \
  X(fill_bytes, cuMemsetD8Async, (DevicePointer, unsigned char, std::size_t, DriverHandle))        \
  X(allocate_pinned, cuMemHostAlloc, (void**, std::size_t, unsigned))                              \
  X(release_pinned, cuMemFreeHost, (void*))                                                        \
  X(load_module, cuModuleLoadDataEx, (DriverHandle*, const void*, unsigned, int*, void**))         \
  X(unload_module, cuModuleUnload, (DriverHandle))                                                 \
  X(find_function, cuModuleGetFunction, (DriverHandle*, DriverHandle, const char*))                \
  X(launch, cuLaunchKernel,                                                                        \
    (DriverHandle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,           \
     DriverHandle, void**, void**))

class Driver {
 public:
  /// The driver of this machine, initialised; null, and the reason, if there is none or it is too
  /// old.
  static const Driver* get(std::string& reason);

// NOLINTNEXTLINE(bugprone-macro-parentheses): a declarator and its parameters.
#define RONDO_DRIVER_MEMBER(member, symbol, parameters) DriverResult(*member) parameters = nullptr;
  RONDO_DRIVER_FUNCTIONS(RONDO_DRIVER_MEMBER)
#undef RONDO_DRIVER_MEMBER

  const std::string& path() const { return path_; }
  /// 13000 is CUDA 13.0.
  int cuda_version() const { return cuda_version_; }
  /// "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)"
  std::string describe(DriverResult result) const;
  /// Errors: DeviceError that names `what`, or OutOfMemoryError.
  void check(DriverResult result, const char* what) const;

 private:
  bool open(std::string& reason);

  std::string path_;
  int cuda_version_ = 0;
};

/// The oldest CUDA version of a driver that is taken.
inline constexpr int kOldestDriver = 12000;

}  // namespace rondo::codegen::cuda
