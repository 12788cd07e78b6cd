#include "codegen/interpreter/arena.h"

#include <cstring>
#include <new>

namespace rondo::codegen::interpreter {
namespace {

constexpr std::align_val_t kAlignment{4096};

// Plain values, so that reading them needs no guard.
constinit thread_local std::byte* memory = nullptr;
constinit thread_local std::int64_t size = 0;

/// Frees the memory when the thread ends.
struct Owner {
  Owner() = default;
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() {
    ::operator delete(memory, kAlignment);
    memory = nullptr;
    size = 0;
  }
  void touch() {}
};
thread_local Owner owner;

[[gnu::noinline]] void grow(std::int64_t bytes) {
  owner.touch();
  auto* larger =
      static_cast<std::byte*>(::operator new(static_cast<std::size_t>(bytes), kAlignment));
  std::memset(larger, 0, static_cast<std::size_t>(bytes));
  ::operator delete(memory, kAlignment);
  memory = larger;
  size = bytes;
}

}  // namespace

std::byte* thread_arena(std::int64_t bytes) {
  if (bytes > size) [[unlikely]] {
    grow(bytes);
  }
  return memory;
}

}  // namespace rondo::codegen::interpreter
