// A block of memory that tensors view, with the version that in-place operations advance.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "core/base/call_site.h"
#include "core/base/ref.h"
#include "core/tensor/device.h"

namespace rondo {

class DeviceBackend;
class Storage;

/// Whoever queued the operation that will fill a storage.
class Producer {
 public:
  /// Runs what is queued, so that `storage` holds its data. May be called from any thread.
  virtual void produce(Storage& storage) = 0;

 protected:
  ~Producer() = default;
};

class Storage : public RefCounted {
 public:
  /// Memory is taken from the allocator when it is first needed.
  explicit Storage(std::int64_t bytes, Device device = {}) : bytes_(bytes), device_(device) {}
  /// Memory of somebody else's; `release` is called when the storage dies.
  Storage(void* data, std::int64_t bytes, std::function<void()> release, bool writable = true);
  ~Storage();

  std::int64_t bytes() const { return bytes_; }
  /// Never the same for two storages of a process.
  std::uint64_t id() const { return id_; }
  Device device() const { return device_; }

  /// The address, after the producer (if any) has run and memory has been allocated. Errors:
  /// DeviceError unless the storage is on the host.
  std::byte* data() {
    settle();
    if (data_ == nullptr) [[unlikely]] {
      allocate_now();
    }
    return data_;
  }

  /// Runs the producer, if there is one.
  void settle() {
    if (producer_.load(std::memory_order_acquire) != nullptr) [[unlikely]] {
      wait();
    }
  }

  /// The address for the executor that fills the storage: allocates, but does not wait. Errors as
  /// for `data`.
  std::byte* raw_data() {
    if (data_ == nullptr) {
      allocate_now();
    }
    return data_;
  }

  /// The address where the storage lives, which only work on that device may follow: allocates, but
  /// does not wait.
  std::byte* address() {
    if (data_ != nullptr) [[likely]] {
      return data_;
    }
    return backend_ != nullptr ? device_data_ : find_address();
  }

  std::uint32_t version() const { return version_; }
  /// An in-place operation has been called.
  void bump_version() {
    ++version_;
    writer_ = current_call_site();
  }
  /// Where the version was last advanced.
  const CallSite& writer() const { return writer_; }

  /// False for memory that must not be written, such as mapped weights.
  bool writable() const { return writable_; }
  /// True for memory that others hold too and may change behind our back: work on it is never
  /// deferred.
  bool external() const { return external_ || shares_.load(std::memory_order_relaxed) != 0; }
  /// Somebody else gets the address of the memory (an array, a DLPack capsule), and gives it up.
  void share() { shares_.fetch_add(1, std::memory_order_relaxed); }
  void unshare() { shares_.fetch_sub(1, std::memory_order_relaxed); }

  Producer* producer() const { return producer_.load(std::memory_order_acquire); }
  void set_producer(Producer* producer) { producer_.store(producer, std::memory_order_release); }

 private:
  void wait();
  void allocate_now();
  std::byte* find_address();

  static std::uint64_t next_id();

  std::uint64_t id_ = next_id();
  std::byte* data_ = nullptr;
  std::byte* device_data_ = nullptr;  // where the storage is not on the host
  DeviceBackend* backend_ = nullptr;  // what it was taken from
  std::int64_t bytes_;
  Device device_;
  bool writable_ = true;
  bool external_ = false;
  std::uint32_t version_ = 0;
  CallSite writer_;
  std::atomic<std::uint32_t> shares_{0};
  std::atomic<Producer*> producer_{nullptr};
  std::function<void()> release_;
};

}  // namespace rondo
