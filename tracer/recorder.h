// The recorder: an executor that watches the stream of calls, finds what repeats, and defers it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/graph/flow_builder.h"
#include "core/op/executor.h"
#include "tracer/clearable_map.h"
#include "tracer/matcher.h"
#include "tracer/queue_list.h"
#include "tracer/repeat_finder.h"
#include "tracer/segment.h"

namespace rondo::tracer {

/// Counts of a recorder.
struct RecorderStats {
  std::uint64_t calls = 0;
  std::uint64_t matched = 0;   // calls that ran in a segment
  std::uint64_t captured = 0;  // segments made
  std::uint64_t launches = 0;
  std::uint64_t exits[kExitCount] = {};
};

/// Belongs to one thread; other threads may only ask it to produce a storage, or to read one that
/// they are about to write.
///
/// Cold: calls run at once and feed the repeat finder. Capturing: they run at once and are built
/// into segments. Matching: a call that equals the next one of a segment is deferred; the last one
/// launches it. Any other call, or a read of a deferred result, first runs what is deferred one by
/// one.
class Recorder final : public Executor, public Producer, public CallQueue {
 public:
  Recorder(Executor& eager, ProgramMaker& maker) : eager_(eager), maker_(maker) {}
  ~Recorder() override;

  void execute(const OpCall& call) override;
  void flush() override;
  void produce(Storage& storage) override;
  void run_before_write(std::span<const Tensor> targets) override;

  /// A last flush: results of calls that fail are errors when they are read.
  void end() noexcept;

  /// Off: every call runs at once and nothing is recorded.
  void set_enabled(bool enabled);
  bool enabled() const { return enabled_; }

  const RecorderStats& stats() const { return stats_; }
  /// All segments of this thread, for explain.
  std::vector<const Segment*> segments() const;

  /// Of the results that are deferred.
  std::int64_t pending_bytes() const { return pending_bytes_; }

  /// Nothing is queued and no capture is going on.
  bool idle() const { return pending_count_ == 0 && state_ != State::capturing; }

 private:
  enum class State : std::uint8_t { cold, capturing, matching };

  class Lock;
  class QueueEnd;

  static bool deferrable(const OpCall& call);
  void wait_for_other_threads(std::span<const Tensor> operands) const;
  void execute_locked(const OpCall& call);
  void run_cold(const OpCall& call, std::uint64_t token);
  bool reads(std::span<const Tensor> targets) const;
  bool try_enter(const OpCall& call, std::uint64_t token);
  void defer(const OpCall& call, std::uint64_t token);
  void finish();
  void launch();
  void run_pending(Exit reason);
  static void mark_failed(std::span<const PendingCall> calls);
  void clear_pending();

  void begin_capture(std::uint64_t period);
  bool waits(const OpCall& call);
  void capture(const OpCall& call, std::uint64_t token);
  void cut();
  bool wants_cut(const OpCall& call, std::uint64_t token) const;
  void mark_live(Flow& flow);

  std::uint64_t entry_key(std::uint64_t token) const;
  void note_token(std::uint64_t token);
  void note_exit(Segment& segment, Exit reason);
  void grow_live_set(Segment& segment, const std::vector<int>& live);
  const std::vector<int>& live_results(const Flow& flow);

  Executor& eager_;
  ProgramMaker& maker_;
  std::shared_ptr<QueueList::Entry> entry_ = QueueList::instance().add(*this);
  std::atomic_flag locked_ = ATOMIC_FLAG_INIT;
  std::atomic<const void*> owner_{nullptr};
  bool enabled_ = true;
  bool running_ = false;  // the engine itself is executing: reads are its own
  State state_ = State::cold;
  RepeatFinder finder_;
  std::array<std::uint64_t, 16> context_{};  // the last tokens, in a ring
  std::uint64_t context_end_ = 0;
  std::uint64_t calls_ = 0;

  // Matching and capturing share the list of calls.
  Matcher matcher_;
  std::vector<PendingCall> pending_;
  std::size_t pending_count_ = 0;
  std::vector<std::uint64_t> pending_tokens_;
  std::vector<CallTensors> launch_calls_;
  ClearableMap<const TensorImpl*, std::uint32_t> queue_counts_;  // references that the queue holds
  ClearableMap<const Storage*, std::uint32_t> dead_counts_;      // dead impls, by their storage
  std::vector<int> live_;
  std::int64_t pending_bytes_ = 0;
  Segment* current_ = nullptr;

  std::unique_ptr<FlowBuilder> builder_;
  std::uint64_t capture_left_ = 0;
  std::uint64_t capture_wait_ = 0;  // calls until it begins, unless the stream is cut before
  std::unordered_map<std::uint64_t, std::uint32_t> captures_;  // of periods, by rotation hash
  bool resumes_capture_ = false;  // the segment that is matched lies within what is captured
  std::uint64_t capture_period_ = 0;
  std::uint64_t segment_entry_ = 0;

  std::unordered_map<std::uint64_t, std::unique_ptr<Segment>> segments_;  // by entry
  RecorderStats stats_;
};

}  // namespace rondo::tracer
