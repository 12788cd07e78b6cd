// A list whose greatest length is known when it is made; short ones live on the stack.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <utility>

namespace rondo::python {

template <class T, std::size_t N>
class InlineVector {
 public:
  explicit InlineVector(std::size_t capacity) {
    if (capacity > N) [[unlikely]] {
      heap_ = std::make_unique<Slot[]>(capacity);
      slots_ = heap_.get();
    }
  }
  InlineVector(const InlineVector&) = delete;
  InlineVector& operator=(const InlineVector&) = delete;
  ~InlineVector() {
    for (T& item : span()) {
      item.~T();
    }
  }

  template <class... Args>
  T& emplace_back(Args&&... args) {
    return *new (&slots_[size_++]) T(std::forward<Args>(args)...);
  }
  std::size_t size() const { return size_; }
  std::span<T> span() { return {std::launder(reinterpret_cast<T*>(slots_)), size_}; }
  T& operator[](std::size_t i) { return span()[i]; }

 private:
  struct Slot {
    alignas(T) std::byte bytes[sizeof(T)];
  };
  Slot inline_[N];
  std::unique_ptr<Slot[]> heap_;
  Slot* slots_ = inline_;
  std::size_t size_ = 0;
};

}  // namespace rondo::python
