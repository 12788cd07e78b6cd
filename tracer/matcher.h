// Compares calls with those of a segment: the ops, their attributes, and which operand is which
// earlier value.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/op/executor.h"
#include "tracer/segment.h"

namespace rondo::tracer {

/// A call that has been recorded but not run (or, while capturing, one that has run).
struct PendingCall {
  const OpInfo* op = nullptr;
  std::vector<Tensor> inputs;
  std::vector<Tensor> outputs;
  std::vector<Attr> attrs;
  bool in_place = false;

  void assign(const OpCall& call);
  void clear();
};

/// Which storage of the current run is which storage of the flow.
class StorageMap {
 public:
  void reset();
  /// -1 if the storage has not been met.
  int find(std::uint64_t storage) const;
  void insert(std::uint64_t storage, int group);

 private:
  static constexpr std::size_t kSlots = 2048;
  struct Slot {
    std::uint64_t storage = 0;
    std::uint32_t run = 0;
    int group = -1;
  };
  std::array<Slot, kSlots> slots_{};
  std::uint32_t run_ = 0;
};

/// Counts by address; emptied in constant time.
class CountMap {
 public:
  void reset();
  /// Adds one; the number after that.
  std::uint32_t add(const void* key) { return ++slot(key).count; }
  std::uint32_t count(const void* key) { return slot(key).count; }
  /// The keys that have been met since the reset.
  const std::vector<const void*>& keys() const { return keys_; }

 private:
  static constexpr std::size_t kSlots = 4096;
  struct Slot {
    const void* key = nullptr;
    std::uint32_t run = 0;
    std::uint32_t count = 0;
  };
  Slot& slot(const void* key);
  std::vector<Slot> slots_;
  std::vector<const void*> keys_;
  std::uint32_t run_ = 0;
};

/// Follows one segment call by call.
class Matcher {
 public:
  void start(const Segment& segment);
  const Segment& segment() const { return *segment_; }
  std::size_t position() const { return position_; }
  bool complete() const { return position_ == segment_->flow.nodes.size(); }

  /// Whether `call` is the next one of the segment. `pending` are those before it. If it is, its
  /// outputs must be announced with `accept`.
  bool matches(const OpCall& call, const std::vector<PendingCall>& pending);
  void accept(const OpCall& call);

 private:
  bool matches_operand(const OpCall& call, std::size_t slot,
                       const std::vector<PendingCall>& pending);
  bool matches_external(const OpCall& call, std::size_t slot, const FlowUse& use,
                        const std::vector<PendingCall>& pending);
  static bool same_geometry(const Tensor& a, const Tensor& b);

  const Segment* segment_ = nullptr;
  std::size_t position_ = 0;
  StorageMap storages_;
};

}  // namespace rondo::tracer
