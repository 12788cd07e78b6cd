// What makes a kind of device usable: its memory and copies. Implementations live in plug-ins.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "core/tensor/allocator.h"
#include "core/tensor/device.h"

namespace rondo {

struct DeviceInfo {
  std::string name;
  std::int64_t memory_bytes = 0;
  int capability = 0;  // 90 is 9.0
  int multiprocessors = 0;
};

/// The devices of one kind, numbered from 0. Work on a device runs in the order in which it was
/// asked for; calls may come from any thread. Errors: DeviceError, OutOfMemoryError.
class DeviceBackend {
 public:
  virtual ~DeviceBackend() = default;

  virtual int count() const = 0;
  virtual DeviceInfo info(int index) const = 0;

  /// `bytes` aligned to 256; never null, also for 0.
  virtual void* allocate(int index, std::int64_t bytes) = 0;
  /// What was asked for before still sees the block.
  virtual void deallocate(int index, void* block, std::int64_t bytes) noexcept = 0;
  virtual MemoryStats memory(int index) const = 0;
  /// Gives unused memory back to the system.
  virtual void trim(int index) = 0;

  /// To the device. The host memory may change when the call returns.
  virtual void copy_in(int index, void* to, const void* from, std::int64_t bytes) = 0;
  /// To the host, after all that was asked for before.
  virtual void copy_out(int index, void* to, const void* from, std::int64_t bytes) = 0;
  virtual void copy_within(int index, void* to, const void* from, std::int64_t bytes) = 0;
  /// Waits for all that was asked for.
  virtual void synchronize(int index) = 0;
};

/// How the backend of a kind of device is found when it is first needed: null, and the reason, if
/// there is none.
using DeviceOpener = std::function<DeviceBackend*(std::string& reason)>;
void set_device_opener(DeviceType type, DeviceOpener opener);

/// The backend of a kind of device, opened by the first call; null, and the reason, if there is
/// none.
DeviceBackend* find_device_backend(DeviceType type, std::string& reason);

/// The backend of a device, opened by the first call. Errors: DeviceError with the opener's reason,
/// or if there is no device of that number.
DeviceBackend& device_backend(Device device);

}  // namespace rondo
