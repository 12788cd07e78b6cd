#include "core/base/pool_allocator.h"

#include <array>
#include <cstdint>
#include <new>
#include <utility>

// Sanitizers are to see each object's memory come and go.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define RONDO_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define RONDO_SANITIZED
#endif
#endif

namespace rondo {
namespace {

#ifdef RONDO_SANITIZED
constexpr bool kKeepsBlocks = false;
#else
constexpr bool kKeepsBlocks = true;
#endif
constexpr std::size_t kStep = 16;  // bytes between the sizes of blocks
constexpr std::size_t kSizes = 32;
constexpr std::uint32_t kMostBytes = 1U << 20;  // kept of a size

struct FreeBlock {
  FreeBlock* next;
};

/// The free blocks of a size.
struct FreeList {
  FreeBlock* first = nullptr;
  std::uint32_t bytes = 0;
};

/// Trivial to destroy, so that objects of the thread that die after it can still give blocks back.
struct Cache {
  std::array<FreeList, kSizes + 1> lists{};
  bool keeps = false;
};
constinit thread_local Cache cache;

/// Empties the thread's lists when it ends; nothing is kept from then on.
struct AtThreadEnd {
  AtThreadEnd() { cache.keeps = true; }
  AtThreadEnd(const AtThreadEnd&) = delete;
  AtThreadEnd& operator=(const AtThreadEnd&) = delete;
  ~AtThreadEnd() {
    cache.keeps = false;
    for (FreeList& list : cache.lists) {
      while (list.first != nullptr) {
        ::operator delete(std::exchange(list.first, list.first->next));
      }
      list.bytes = 0;
    }
  }
};

}  // namespace

void* pool_allocate(std::size_t bytes) {
  const std::size_t size = (bytes + kStep - 1) / kStep;
  if (!kKeepsBlocks || size > kSizes) {
    return ::operator new(bytes);
  }
  FreeList& list = cache.lists[size];
  if (list.first == nullptr) [[unlikely]] {
    static thread_local const AtThreadEnd registered;
    return ::operator new(size * kStep);
  }
  FreeBlock* const block = list.first;
  list.first = block->next;
  list.bytes -= static_cast<std::uint32_t>(size * kStep);
  return block;
}

void pool_free(void* block, std::size_t bytes) noexcept {
  const std::size_t size = (bytes + kStep - 1) / kStep;
  if (!kKeepsBlocks || block == nullptr || size > kSizes) {
    ::operator delete(block);
    return;
  }
  FreeList& list = cache.lists[size];
  if (!cache.keeps || list.bytes >= kMostBytes) [[unlikely]] {
    ::operator delete(block);
    return;
  }
  list.first = new (block) FreeBlock{list.first};
  list.bytes += static_cast<std::uint32_t>(size * kStep);
}

}  // namespace rondo
