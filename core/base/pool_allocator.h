// Memory for the small objects that come and go with each call. A thread keeps up to 16 KB of free
// blocks of each size; what is beyond waits for other threads, up to 2 MB of a size.
#pragma once

#include <cstddef>
#include <vector>

namespace rondo {

/// Memory for `bytes`, aligned as operator new aligns. Errors: std::bad_alloc
void* pool_allocate(std::size_t bytes);
/// Takes back what pool_allocate gave for `bytes`, in any thread.
void pool_free(void* block, std::size_t bytes) noexcept;

/// False under sanitizers, which are to see each object's memory come and go.
bool pool_keeps_blocks();

/// Base of classes whose objects live there.
struct Pooled {
  static void* operator new(std::size_t bytes) { return pool_allocate(bytes); }
  static void operator delete(void* block, std::size_t bytes) noexcept { pool_free(block, bytes); }
};

template <class T>
struct PoolAllocator {
  using value_type = T;

  PoolAllocator() = default;
  template <class U>
  PoolAllocator(const PoolAllocator<U>& /*other*/) {}  // NOLINT(google-explicit-constructor)

  T* allocate(std::size_t count) { return static_cast<T*>(pool_allocate(count * sizeof(T))); }
  void deallocate(T* block, std::size_t count) noexcept { pool_free(block, count * sizeof(T)); }

  template <class U>
  bool operator==(const PoolAllocator<U>& /*other*/) const {
    return true;
  }
};

/// A short list that lives as long as a call or a node of the tape.
template <class T>
using PoolVector = std::vector<T, PoolAllocator<T>>;

}  // namespace rondo
