// The recorder while it captures: a round of a repeat is built into segments as it runs.
#include <utility>

#include "tracer/params.h"
#include "tracer/recorder.h"

namespace rondo::tracer {

void Recorder::begin_capture(std::uint64_t period) {
  // All rotations of a period are one. A capture that the stream breaks off is tried again.
  std::uint32_t& captures = captures_[finder_.rotation_hash(period)];
  if (captures >= params().max_captures) {
    return;
  }
  ++captures;
  const auto shortest = static_cast<std::uint64_t>(params().min_segment);
  capture_period_ = period;
  capture_left_ = (shortest + period - 1) / period * period;
  capture_wait_ = period;
  builder_ = nullptr;
  state_ = State::capturing;
}

/// A period may begin anywhere; it is best captured from where the stream is cut anyway.
bool Recorder::waits(const OpCall& call) {
  if (capture_wait_ == 0) {
    return false;
  }
  capture_wait_ = deferrable(call) ? capture_wait_ - 1 : 0;
  return true;
}

bool Recorder::wants_cut(const OpCall& call, std::uint64_t token) const {
  const auto length = static_cast<int>(pending_count_);
  const Params& limits = params();
  if (length >= limits.max_segment ||
      static_cast<int>(builder_->flow().groups) > limits.max_externals + length) {
    return true;
  }
  return length >= limits.target_segment && call.op.kind == OpKind::contraction && token % 4 == 0;
}

void Recorder::capture(const OpCall& call, std::uint64_t token) {
  const bool expected = finder_.recent(capture_period_) == token;
  if (expected && waits(call)) {
    note_token(token);
    finder_.push(token);
    return;
  }
  if (!expected || !deferrable(call)) {
    cut();
    if (!expected) {
      state_ = State::cold;
    }
  } else {
    if (builder_ && wants_cut(call, token)) {
      cut();
    }
    if (!builder_) {
      builder_ = std::make_unique<FlowBuilder>();
      segment_entry_ = entry_key(token);
    }
    builder_->append(call, static_cast<int>(pending_count_));
    if (pending_.size() <= pending_count_) {
      pending_.emplace_back();
    }
    pending_[pending_count_].assign(call);
    ++pending_count_;
    pending_tokens_.push_back(token);
    for (const Tensor& output : call.outputs) {
      output.storage()->set_producer(this);
    }
  }
  note_token(token);
  finder_.push(token);
  if (state_ == State::capturing) {
    --capture_left_;
  }
}

void Recorder::cut() {
  if (!builder_) {
    return;
  }
  Flow flow = builder_->take();
  builder_ = nullptr;
  mark_live(flow);
  for (std::size_t i = 0; i < pending_count_; ++i) {
    for (const Tensor& output : pending_[i].outputs) {
      if (output.storage()->producer() == this) {
        output.storage()->set_producer(nullptr);
      }
    }
  }
  const bool useful = flow.nodes.size() >= 2;
  std::unique_ptr<Segment>& slot = segments_[segment_entry_];
  if (useful && !slot) {
    slot = std::make_unique<Segment>();
    slot->tokens = pending_tokens_;
    slot->program = maker_.make(flow);
    slot->flow = std::move(flow);
    ++stats_.captured;
  } else if (!slot) {
    segments_.erase(segment_entry_);
  }
  clear_pending();
}

void Recorder::mark_live(Flow& flow) {
  for (const int v : live_results(flow)) {
    flow.live[static_cast<std::size_t>(v)] = 1;
  }
}

}  // namespace rondo::tracer
