#include "codegen/cuda/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "codegen/cuda/emitter.h"
#include "core/base/error.h"

namespace rondo::codegen::cuda {
namespace {

constexpr const char* kKernelName = "rondo_kernel";

}  // namespace

CudaDevice::CudaDevice(const Driver& driver, int index) : driver_(driver), index_(index) {
  std::array<char, 256> name{};
  std::size_t bytes = 0;
  int major = 0;
  int minor = 0;
  int pools = 0;
  driver_.check(driver_.device_name(name.data(), static_cast<int>(name.size()), index), "name");
  driver_.check(driver_.device_memory(&bytes, index), "memory");
  driver_.check(driver_.device_attribute(&major, kCapabilityMajor, index), "capability");
  driver_.check(driver_.device_attribute(&minor, kCapabilityMinor, index), "capability");
  driver_.check(driver_.device_attribute(&info_.multiprocessors, kMultiprocessorCount, index),
                "multiprocessors");
  driver_.check(driver_.device_attribute(&pools, kMemoryPoolsSupported, index), "memory pools");
  info_.name = name.data();
  info_.memory_bytes = static_cast<std::int64_t>(bytes);
  info_.capability = 10 * major + minor;
  rondo::check<DeviceError>(pools != 0, "cuda: {} has no memory pools; they are required",
                            info_.name);
  driver_.check(driver_.retain_context(&context_, index), "context");
  enter();
  driver_.check(driver_.create_stream(&stream_, kStreamNonBlocking), "stream");
  driver_.check(driver_.default_pool(&pool_, index), "memory pool");
  // What has been freed stays with the pool until trim().
  std::uint64_t threshold = UINT64_MAX;
  driver_.check(driver_.set_pool_attribute(pool_, kPoolReleaseThreshold, &threshold),
                "memory pool");
}

DevicePointer CudaDevice::allocate(std::int64_t bytes) {
  enter();
  DevicePointer block = 0;
  const auto size = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1));
  DriverResult result = driver_.allocate(&block, size, stream_);
  if (result == kDriverOutOfMemory) {  // once more, after what is unused has been given back
    trim();
    result = driver_.allocate(&block, size, stream_);
    if (result == kDriverOutOfMemory) {
      out_of_memory(bytes);
    }
  }
  driver_.check(result, "allocate");
  const std::lock_guard lock(mutex_);
  live_ += bytes;
  peak_ = std::max(peak_, live_);
  return block;
}

void CudaDevice::out_of_memory(std::int64_t bytes) const {
  const MemoryStats stats = memory();
  fail<OutOfMemoryError>(
      "cuda:{}: out of memory: {} bytes asked for, {} live, {} reserved, {} on the device; free "
      "tensors",
      index_, bytes, stats.live, stats.reserved, info_.memory_bytes);
}

void CudaDevice::release(DevicePointer block, std::int64_t bytes) noexcept {
  // A device that has failed gives no memory back; that error has been or will be reported.
  if (driver_.set_context(context_) == kDriverSuccess) {
    driver_.release(block, stream_);
  }
  const std::lock_guard lock(mutex_);
  live_ -= bytes;
}

MemoryStats CudaDevice::memory() const {
  enter();
  std::uint64_t reserved = 0;
  driver_.check(driver_.pool_attribute(pool_, kPoolReserved, &reserved), "memory pool");
  const std::lock_guard lock(mutex_);
  return {live_, static_cast<std::int64_t>(reserved), peak_};
}

void CudaDevice::trim() {
  synchronize();
  driver_.check(driver_.trim_pool(pool_, 0), "memory pool");
}

void CudaDevice::copy_in(DevicePointer to, const void* from, std::int64_t bytes) {
  enter();
  // From memory that is not pinned the driver has read all when this returns.
  driver_.check(driver_.copy_to_device(to, from, static_cast<std::size_t>(bytes), stream_),
                "copy to the device");
}

void CudaDevice::copy_out(void* to, DevicePointer from, std::int64_t bytes) {
  enter();
  driver_.check(driver_.copy_to_host(to, from, static_cast<std::size_t>(bytes), stream_),
                "copy to the host");
  driver_.check(driver_.synchronize_stream(stream_), "copy to the host");
}

void CudaDevice::copy_within(DevicePointer to, DevicePointer from, std::int64_t bytes) {
  enter();
  driver_.check(driver_.copy_on_device(to, from, static_cast<std::size_t>(bytes), stream_), "copy");
}

void CudaDevice::synchronize() {
  enter();
  driver_.check(driver_.synchronize_stream(stream_), "synchronize");
}

DriverHandle CudaDevice::load(const Kernel& kernel, const CudaVariant& variant) {
  std::string reason;
  const Nvrtc* nvrtc = Nvrtc::get(reason);
  rondo::check<DeviceError>(nvrtc != nullptr, "cuda: kernels cannot be compiled: {}", reason);
  const std::string source = program_head() + emit_kernel(kernel, variant, kKernelName);
  const CompiledProgram compiled = nvrtc->compile(source, nvrtc->target_for(info_.capability));
  DriverHandle module = nullptr;
  driver_.check(driver_.load_module(&module, compiled.image.c_str(), 0, nullptr, nullptr),
                "load a kernel");
  DriverHandle function = nullptr;
  driver_.check(driver_.find_function(&function, module, kKernelName), "find a kernel");
  return function;
}

/// Modules stay loaded: kernels are few, and each is small.
DriverHandle CudaDevice::function_of(const Kernel& kernel, const CudaVariant& variant) {
  const std::string key = print(kernel) + print(variant);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = functions_.find(key); found != functions_.end()) {
      return found->second;
    }
  }
  DriverHandle function = load(kernel, variant);
  const std::lock_guard lock(mutex_);
  return functions_.emplace(key, function).first->second;
}

/// Memory for one call of a kernel, given back behind it or when it cannot be launched.
class CudaDevice::Scratch {
 public:
  Scratch(CudaDevice& device, std::int64_t bytes)
      : device_(device), bytes_(bytes), address_(bytes > 0 ? device.allocate(bytes) : 0) {}
  ~Scratch() {
    if (address_ != 0) {
      device_.release(address_, bytes_);
    }
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  DevicePointer address() const { return address_; }

 private:
  CudaDevice& device_;
  std::int64_t bytes_;
  DevicePointer address_;
};

void CudaDevice::launch(const Kernel& kernel, const DeviceCall& call) {
  enter();
  LaunchLimits limits;
  limits.multiprocessors = info_.multiprocessors;
  const CudaPlan plan = plan_call(kernel, call, limits);
  const Scratch scratch(*this, plan.scratch_bytes);
  std::vector<std::uint64_t> words = pack_parameters(call, scratch.address());
  rondo::check<UnsupportedError>(
      static_cast<std::int64_t>(words.size()) * 8 <= kParameterBytes,
      "cuda: a kernel has {} bytes of parameters; at most {} are possible", words.size() * 8,
      kParameterBytes);
  for (const CudaLaunch& one : plan.launches) {
    void* parameters[] = {words.data()};
    driver_.check(driver_.launch(function_of(kernel, one.variant), one.grid, 1, 1, one.threads, 1,
                                 1, 0, stream_, parameters, nullptr),
                  "launch");
  }
}

}  // namespace rondo::codegen::cuda
