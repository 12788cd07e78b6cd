#include "core/base/pool_allocator.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

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
constexpr std::size_t kChainBytes = 8192;
constexpr std::size_t kMostChains = 256;  // of a size that wait for any thread

struct FreeBlock {
  FreeBlock* next;
};

constexpr std::uint32_t chain_length(std::size_t size) {
  return static_cast<std::uint32_t>(kChainBytes / (size * kStep));
}

void delete_chain(FreeBlock* first) {
  while (first != nullptr) {
    ::operator delete(std::exchange(first, first->next));
  }
}

/// Whole chains of one size, for threads that allocate what others give back.
class Exchange {
 public:
  void put(FreeBlock* chain) {
    {
      const std::lock_guard guard(mutex_);
      if (chains_.size() < kMostChains) {
        chains_.push_back(chain);
        return;
      }
    }
    delete_chain(chain);
  }

  FreeBlock* take() {
    const std::lock_guard guard(mutex_);
    if (chains_.empty()) {
      return nullptr;
    }
    FreeBlock* const chain = chains_.back();
    chains_.pop_back();
    return chain;
  }

 private:
  std::mutex mutex_;
  std::vector<FreeBlock*> chains_;
};

Exchange& exchange_of(std::size_t size) {
  static auto* const all = new std::array<Exchange, kSizes + 1>;  // threads may outlive statics
  return (*all)[size];
}

/// A thread's free blocks of a size: a chain that grows and shrinks, and perhaps a whole one.
struct FreeList {
  FreeBlock* first = nullptr;
  std::uint32_t count = 0;
  FreeBlock* whole = nullptr;
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
      delete_chain(std::exchange(list.first, nullptr));
      delete_chain(std::exchange(list.whole, nullptr));
      list.count = 0;
    }
  }
};

/// Another chain for an empty list, if one waits.
bool refill(FreeList& list, std::size_t size) {
  static thread_local const AtThreadEnd registered;
  list.first =
      list.whole != nullptr ? std::exchange(list.whole, nullptr) : exchange_of(size).take();
  list.count = list.first != nullptr ? chain_length(size) : 0;
  return list.first != nullptr;
}

/// Room for another chain.
void set_aside(FreeList& list, std::size_t size) {
  if (list.whole != nullptr) {
    exchange_of(size).put(list.whole);
  }
  list.whole = std::exchange(list.first, nullptr);
  list.count = 0;
}

}  // namespace

bool pool_keeps_blocks() {
  return kKeepsBlocks;
}

void* pool_allocate(std::size_t bytes) {
  const std::size_t size = std::max<std::size_t>((bytes + kStep - 1) / kStep, 1);
  if (!kKeepsBlocks || size > kSizes) {
    return ::operator new(bytes);
  }
  FreeList& list = cache.lists[size];
  if (list.first == nullptr && !refill(list, size)) [[unlikely]] {
    return ::operator new(size * kStep);
  }
  --list.count;
  return std::exchange(list.first, list.first->next);
}

void pool_free(void* block, std::size_t bytes) noexcept {
  const std::size_t size = std::max<std::size_t>((bytes + kStep - 1) / kStep, 1);
  if (!kKeepsBlocks || block == nullptr || size > kSizes || !cache.keeps) {
    ::operator delete(block);
    return;
  }
  FreeList& list = cache.lists[size];
  list.first = new (block) FreeBlock{list.first};
  if (++list.count == chain_length(size)) {
    set_aside(list, size);
  }
}

}  // namespace rondo
