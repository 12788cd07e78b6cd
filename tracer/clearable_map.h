// A hash table that is emptied in constant time.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "tracer/token.h"

namespace rondo::tracer {

/// Maps numbers or addresses to values. It grows with its keys and keeps its memory when it is
/// emptied.
template <class Key, class Value>
class ClearableMap {
 public:
  void clear() {
    keys_.clear();
    if (++round_ == 0) {  // slots of an earlier round 0 would count as filled
      slots_.assign(slots_.size(), {});
      round_ = 1;
    }
  }

  /// Null if the key is not there.
  const Value* find(Key key) const {
    const Slot& slot = slots_[place_of(key)];
    return slot.round == round_ ? &slot.value : nullptr;
  }

  /// The value of a key, a default one if the key is new. Valid until the next new key.
  Value& operator[](Key key) {
    if (keys_.size() * 2 >= slots_.size()) [[unlikely]] {
      grow();
    }
    Slot& slot = slots_[place_of(key)];
    if (slot.round != round_) {
      slot = {key, Value{}, round_};
      keys_.push_back(key);
    }
    return slot.value;
  }

  /// In the order in which they came.
  const std::vector<Key>& keys() const { return keys_; }

 private:
  struct Slot {
    Key key{};
    Value value{};
    std::uint32_t round = 0;
  };
  static constexpr std::size_t kFirstSlots = 512;  // a power of two

  /// Where the key is or would be. At most half of the slots are filled, so that the search ends.
  std::size_t place_of(Key key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = mix(1, std::hash<Key>{}(key)) & mask;
    while (slots_[i].round == round_ && slots_[i].key != key) {
      i = (i + 1) & mask;
    }
    return i;
  }

  void grow() {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(slots_.size() * 2));
    for (const Slot& slot : old) {
      if (slot.round == round_) {
        slots_[place_of(slot.key)] = slot;
      }
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(kFirstSlots);
  std::vector<Key> keys_;
  std::uint32_t round_ = 1;
};

}  // namespace rondo::tracer
