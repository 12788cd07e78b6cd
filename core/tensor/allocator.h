// Host memory for tensors: a caching allocator with size classes.
#pragma once

#include <cstdint>

namespace rondo {

/// What the allocator holds, in bytes.
struct MemoryStats {
  std::int64_t live = 0;      // in use by tensors
  std::int64_t reserved = 0;  // taken from the system, live or cached
  std::int64_t peak = 0;      // largest `live` so far
};

/// `size` bytes aligned to 64; never null, also for 0. Errors: OutOfMemoryError with the figures,
/// after one retry with an emptied cache.
void* allocate(std::int64_t size);

/// Returns a block to the cache; `size` is what was asked for.
void deallocate(void* block, std::int64_t size);

/// Lets `live` grow to so many bytes; larger requests are an OutOfMemoryError. Returns what was set
/// before; without a limit it is the largest int64.
std::int64_t set_memory_limit(std::int64_t bytes);

/// What is held now, and the peak since the process began.
MemoryStats memory_stats();

}  // namespace rondo
