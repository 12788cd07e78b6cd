// Intrusive reference counting: RefCounted is the base, Ref<T> the owning pointer.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "core/base/pool_allocator.h"

namespace rondo {

class RefCounted : public Pooled {
 public:
  RefCounted() = default;
  RefCounted(const RefCounted&) = delete;
  RefCounted& operator=(const RefCounted&) = delete;

  void retain() const { count_.fetch_add(1, std::memory_order_relaxed); }
  /// True if this was the last reference: the caller deletes.
  bool release() const { return count_.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  std::uint32_t use_count() const { return count_.load(std::memory_order_acquire); }

 protected:
  ~RefCounted() = default;

 private:
  mutable std::atomic<std::uint32_t> count_{0};
};

template <class T>
class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}  // NOLINT(google-explicit-constructor)
  explicit Ref(T* pointer) : pointer_(pointer) { retain(); }
  Ref(const Ref& other) : pointer_(other.pointer_) { retain(); }
  Ref(Ref&& other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)) {}
  Ref& operator=(const Ref& other) {
    Ref(other).swap(*this);
    return *this;
  }
  Ref& operator=(Ref&& other) noexcept {
    Ref(std::move(other)).swap(*this);
    return *this;
  }
  ~Ref() { release(); }

  void swap(Ref& other) noexcept { std::swap(pointer_, other.pointer_); }
  void reset() { Ref().swap(*this); }
  T* get() const { return pointer_; }
  T* operator->() const { return pointer_; }
  T& operator*() const { return *pointer_; }
  explicit operator bool() const { return pointer_ != nullptr; }
  bool operator==(const Ref& other) const { return pointer_ == other.pointer_; }

 private:
  void retain() {
    if (pointer_ != nullptr) {
      pointer_->retain();
    }
  }
  void release() {
    if (pointer_ != nullptr && pointer_->release()) {
      delete pointer_;
    }
  }
  T* pointer_ = nullptr;
};

template <class T, class... Args>
Ref<T> make_ref(Args&&... args) {
  return Ref<T>(new T(std::forward<Args>(args)...));
}

}  // namespace rondo
