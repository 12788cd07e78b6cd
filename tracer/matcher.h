// Compares calls with those of a segment: the ops, their attributes, and which operand is which
// earlier value.
#pragma once

#include <cstdint>
#include <vector>

#include "core/op/executor.h"
#include "tracer/clearable_map.h"
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
  /// The group of the flow that a storage of this run stands for; -1 if it has not been met.
  int group_of(const Tensor& tensor) const;

  const Segment* segment_ = nullptr;
  std::size_t position_ = 0;
  ClearableMap<std::uint64_t, int> groups_;  // by the storage's id
};

}  // namespace rondo::tracer
