// One GPU: its context, its stream, its memory, and the kernels that have been loaded there.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/cuda/call.h"
#include "codegen/cuda/driver.h"
#include "codegen/cuda/nvrtc.h"

namespace rondo::codegen::cuda {

/// All work of a GPU goes through one stream, so memory that is given back may be used again at
/// once. Calls may come from any thread.
class CudaDevice {
 public:
  CudaDevice(const Driver& driver, int index);

  DeviceInfo info() const { return info_; }

  DevicePointer allocate(std::int64_t bytes);
  void release(DevicePointer block, std::int64_t bytes) noexcept;
  MemoryStats memory() const;
  void trim();

  void copy_in(DevicePointer to, const void* from, std::int64_t bytes);
  void copy_out(void* to, DevicePointer from, std::int64_t bytes);
  void copy_within(DevicePointer to, DevicePointer from, std::int64_t bytes);
  void synchronize();

  void launch(const Kernel& kernel, const DeviceCall& call);

 private:
  class Scratch;

  /// Makes the context this thread's.
  void enter() const { driver_.check(driver_.set_context(context_), "context"); }
  DriverHandle function_of(const Kernel& kernel, const CudaVariant& variant);
  DriverHandle load(const Kernel& kernel, const CudaVariant& variant);
  [[noreturn]] void out_of_memory(std::int64_t bytes) const;

  const Driver& driver_;
  int index_;
  DeviceInfo info_;
  DriverHandle context_ = nullptr;
  DriverHandle stream_ = nullptr;
  DriverHandle pool_ = nullptr;
  mutable std::mutex mutex_;  // of what follows
  std::int64_t live_ = 0, peak_ = 0;
  std::unordered_map<std::string, DriverHandle> functions_;
};

}  // namespace rondo::codegen::cuda
