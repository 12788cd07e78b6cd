#include "core/tensor/storage.h"

#include <utility>

#include "core/base/error.h"
#include "core/base/float_environment.h"
#include "core/tensor/allocator.h"
#include "core/tensor/device_backend.h"

namespace rondo {

Storage::Storage(void* data, std::int64_t bytes, std::function<void()> release, bool writable)
    : data_(static_cast<std::byte*>(data)),
      bytes_(bytes),
      writable_(writable),
      external_(true),
      release_(std::move(release)) {}

std::uint64_t Storage::next_id() {
  // Blocks of numbers, so that threads seldom meet at the counter.
  constexpr std::uint64_t kBlock = 4096;
  static std::atomic<std::uint64_t> blocks{1};
  thread_local std::uint64_t next = 0;
  if (next % kBlock == 0) {
    next = blocks.fetch_add(1, std::memory_order_relaxed) * kBlock;
  }
  return next++;
}

Storage::~Storage() {
  if (external_) {
    if (release_) {
      release_();
    }
  } else if (data_ != nullptr) {
    deallocate(data_, bytes_);
  } else if (backend_ != nullptr) {
    backend_->deallocate(device_.index, device_data_, bytes_);
  }
}

void Storage::wait() {
  Producer* producer = producer_.load(std::memory_order_acquire);
  if (producer != nullptr) {
    const FloatEnvironment environment;
    producer->produce(*this);
  }
}

void Storage::allocate_now() {
  check<DeviceError>(device_.type != DeviceType::meta,
                     "tensor: data of a meta tensor: it has a shape only; use a tensor with data");
  check<DeviceError>(device_.type == DeviceType::cpu,
                     "tensor: the data is on {}, where the host cannot read it; copy it with cpu()",
                     device_.str());
  data_ = static_cast<std::byte*>(allocate(bytes_));
}

std::byte* Storage::find_address() {
  if (!device_.is_remote()) {
    return raw_data();
  }
  DeviceBackend& backend = device_backend(device_);
  device_data_ = static_cast<std::byte*>(backend.allocate(device_.index, bytes_));
  backend_ = &backend;
  return device_data_;
}

}  // namespace rondo
