#include "core/tensor/allocator.h"

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "core/base/error.h"

namespace rondo {
namespace {

constexpr std::int64_t kAlignment = 64;
constexpr int kClassesPerDoubling = 4;
// 256 bytes, and the doublings above them up to the largest size of a tensor, 2^62.
constexpr int kClassCount = (62 - 8) * kClassesPerDoubling + kClassesPerDoubling + 1;
constexpr std::int64_t kCachedPerClass = std::int64_t{256} << 20;  // bytes kept in one class

struct SizeClass {
  int index;
  std::int64_t bytes;
};

/// Classes are 64, 128, then four to each doubling, so that at most a fifth of a block is unused.
SizeClass size_class(std::int64_t size) {
  if (size <= 256) {
    const std::int64_t units = size <= kAlignment ? 1 : (size + kAlignment - 1) / kAlignment;
    return {static_cast<int>(units - 1), units * kAlignment};
  }
  const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(size - 1)));
  const std::int64_t step = std::int64_t{1} << (bits - 3);
  const std::int64_t bytes = (size + step - 1) / step * step;
  const auto quarter = static_cast<int>(bytes / step) - kClassesPerDoubling;
  return {(bits - 8) * kClassesPerDoubling + quarter, bytes};
}

class Pool {
 public:
  void* take(std::int64_t size) {
    const SizeClass kind = size_class(size);
    check_limit(kind.bytes, size);
    void* block = pop(kind);
    if (block == nullptr) {
      block = fresh(kind.bytes, size);
    }
    const std::int64_t live = live_.fetch_add(kind.bytes, std::memory_order_relaxed) + kind.bytes;
    std::int64_t peak = peak_.load(std::memory_order_relaxed);
    while (live > peak && !peak_.compare_exchange_weak(peak, live, std::memory_order_relaxed)) {
    }
    return block;
  }

  void give(void* block, std::int64_t size) {
    const SizeClass kind = size_class(size);
    live_.fetch_sub(kind.bytes, std::memory_order_relaxed);
    Bin& bin = bins_.at(static_cast<std::size_t>(kind.index));
    {
      const std::lock_guard lock(bin.mutex);
      if (static_cast<std::int64_t>(bin.blocks.size()) * kind.bytes < kCachedPerClass) {
        bin.blocks.push_back(block);
        return;
      }
    }
    reserved_.fetch_sub(kind.bytes, std::memory_order_relaxed);
    std::free(block);
  }

  std::int64_t set_limit(std::int64_t bytes) { return limit_.exchange(bytes); }

  MemoryStats stats() const { return {live_.load(), reserved_.load(), peak_.load()}; }

 private:
  struct Bin {
    std::mutex mutex;
    std::vector<void*> blocks;
    std::int64_t bytes = 0;
  };

  void* pop(const SizeClass& kind) {
    Bin& bin = bins_.at(static_cast<std::size_t>(kind.index));
    const std::lock_guard lock(bin.mutex);
    bin.bytes = kind.bytes;
    if (bin.blocks.empty()) {
      return nullptr;
    }
    void* block = bin.blocks.back();
    bin.blocks.pop_back();
    return block;
  }

  /// Gives cached blocks back to the system.
  void trim() {
    for (int i = 0; i < kClassCount; ++i) {
      Bin& bin = bins_.at(static_cast<std::size_t>(i));
      const std::lock_guard lock(bin.mutex);
      for (void* block : bin.blocks) {
        std::free(block);
        reserved_.fetch_sub(bin.bytes, std::memory_order_relaxed);
      }
      bin.blocks.clear();
    }
  }

  void check_limit(std::int64_t bytes, std::int64_t asked) const {
    const std::int64_t limit = limit_.load(std::memory_order_relaxed);
    const std::int64_t live = live_.load(std::memory_order_relaxed);
    check<OutOfMemoryError>(
        bytes <= limit - live,
        "allocate: out of memory: {} bytes asked for, {} live, the limit is {}; "
        "free tensors or raise the limit",
        asked, live, limit);
  }

  void* fresh(std::int64_t bytes, std::int64_t asked) {
    void* block = std::aligned_alloc(kAlignment, static_cast<std::size_t>(bytes));
    if (block == nullptr) {
      trim();
      block = std::aligned_alloc(kAlignment, static_cast<std::size_t>(bytes));
    }
    check<OutOfMemoryError>(block != nullptr,
                            "allocate: out of memory: {} bytes asked for, {} live, {} reserved; "
                            "free tensors or raise the limit",
                            asked, live_.load(), reserved_.load());
    reserved_.fetch_add(bytes, std::memory_order_relaxed);
    return block;
  }

  std::array<Bin, kClassCount> bins_;
  std::atomic<std::int64_t> live_{0};
  std::atomic<std::int64_t> reserved_{0};
  std::atomic<std::int64_t> peak_{0};
  std::atomic<std::int64_t> limit_{INT64_MAX};
};

/// Leaked on purpose: tensors may outlive static destruction.
Pool& pool() {
  static Pool* const instance = new Pool;
  return *instance;
}

}  // namespace

void* allocate(std::int64_t size) {
  return pool().take(size);
}
void deallocate(void* block, std::int64_t size) {
  pool().give(block, size);
}
std::int64_t set_memory_limit(std::int64_t bytes) {
  return pool().set_limit(bytes);
}
MemoryStats memory_stats() {
  return pool().stats();
}

}  // namespace rondo
