#include "tracer/recorder.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "core/base/error.h"
#include "core/op/clashes.h"
#include "tracer/params.h"
#include "tracer/token.h"

namespace rondo::tracer {
namespace {

/// A number for this thread that no other living thread has.
const void* this_thread() {
  thread_local char anchor = 0;
  return &anchor;
}

/// Stands in the storages of queued calls that failed or were not reached: they have no data.
class FailedCalls final : public Producer {
 public:
  static FailedCalls* instance() {
    static auto* const failed = new FailedCalls;  // storages may outlive static destruction
    return failed;
  }
  void produce(Storage& /*storage*/) override {
    fail<ArgumentError>(
        "tensor: it has no data: a call that was to compute it has failed; compute it again");
  }
};

/// While it lives, reads and calls are the engine's own.
class Running {
 public:
  explicit Running(bool& flag) : flag_(flag) { flag_ = true; }
  ~Running() { flag_ = false; }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

 private:
  bool& flag_;
};

}  // namespace

const char* exit_name(Exit reason) {
  constexpr const char* kNames[kExitCount] = {"mismatch", "observed", "not ready", "live set",
                                              "memory"};
  return kNames[static_cast<int>(reason)];
}

/// Taken for each call by the owner, and by other threads that need a result of its queue.
/// Re-entrant for the owner: a call made while the queue runs (by a hook or a destructor) runs at
/// once.
class Recorder::Lock {
 public:
  explicit Lock(Recorder& recorder) : recorder_(recorder) {
    if (recorder.owner_.load(std::memory_order_relaxed) == this_thread()) {
      nested_ = true;
      return;
    }
    for (int tries = 0; recorder.locked_.test_and_set(std::memory_order_acquire); ++tries) {
      if (tries >= kSpins) {
        std::this_thread::yield();  // a launch may take long
      }
    }
    recorder.owner_.store(this_thread(), std::memory_order_relaxed);
  }
  ~Lock() {
    if (!nested_) {
      recorder_.owner_.store(nullptr, std::memory_order_relaxed);
      recorder_.locked_.clear(std::memory_order_release);
    }
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  static constexpr int kSpins = 100;

  Recorder& recorder_;
  bool nested_ = false;
};

/// The queue holds no calls from its end on: they have run, or failed.
class Recorder::QueueEnd {
 public:
  explicit QueueEnd(Recorder& recorder) : entry_(*recorder.entry_) {}
  ~QueueEnd() { QueueList::instance().set_holds_calls(entry_, false); }
  QueueEnd(const QueueEnd&) = delete;
  QueueEnd& operator=(const QueueEnd&) = delete;

 private:
  QueueList::Entry& entry_;
};

Recorder::~Recorder() {
  end();
  QueueList::instance().remove(entry_);
}

void Recorder::end() noexcept {
  try {
    flush();
  } catch (...) {  // NOLINT(bugprone-empty-catch)
    // Nobody is left to tell but those who read the results: see mark_failed.
  }
}

bool Recorder::deferrable(const OpCall& call) {
  if (call.op.checks_data) {
    return false;
  }
  for (const Tensor& t : call.inputs) {
    if (t.defined() && !t.is_immediate() &&
        ((t.storage()->external() && t.storage()->writable()) ||
         t.storage()->device().type != DeviceType::cpu)) {
      return false;
    }
  }
  for (const Tensor& t : call.outputs) {
    if (t.storage()->device().type != DeviceType::cpu) {
      return false;
    }
  }
  return !call.in_place || !clashes(call);
}

/// Has other threads run what they have queued for these operands: what is queued here reads and
/// writes memory that is complete. Done without this recorder's lock, for two threads that need
/// each other's results would wait for ever if each held its own.
void Recorder::wait_for_other_threads(std::span<const Tensor> operands) const {
  for (const Tensor& t : operands) {
    if (t.defined() && !t.is_immediate()) {
      const Producer* producer = t.storage()->producer();
      if (producer != nullptr && producer != this) [[unlikely]] {
        t.storage()->settle();
      }
    }
  }
}

void Recorder::execute(const OpCall& call) {
  wait_for_other_threads(call.inputs);
  // What the engine itself writes while the queue runs (by a hook, say) is nobody else's.
  if (call.in_place && owner_.load(std::memory_order_relaxed) != this_thread()) {
    QueueList::instance().run_before_write(*entry_, call.outputs);
  }
  const Lock lock(*this);
  if (!enabled_ || running_) {
    eager_.execute(call);
    return;
  }
  execute_locked(call);
}

void Recorder::execute_locked(const OpCall& call) {
  ++calls_;
  ++stats_.calls;
  finish();
  const std::uint64_t token = token_of(call);
  if (!deferrable(call)) {
    if (state_ == State::matching) {
      run_pending(Exit::mismatch);
    } else if (state_ == State::capturing) {
      cut();
    }
    run_cold(call, token);
    return;
  }
  if (state_ == State::matching) {
    if (matcher_.matches(call, pending_)) {
      defer(call, token);
      return;
    }
    run_pending(Exit::mismatch);
  }
  if (try_enter(call, token)) {
    return;
  }
  run_cold(call, token);
}

void Recorder::run_cold(const OpCall& call, std::uint64_t token) {
  {
    const Running running(running_);
    eager_.execute(call);
  }
  if (state_ == State::capturing) {
    capture(call, token);
    return;
  }
  note_token(token);
  const std::uint64_t period = finder_.push(token);
  if (period > 0 && segments_.size() < params().max_segments) {
    begin_capture(period);
  }
}

void Recorder::note_token(std::uint64_t token) {
  context_[context_end_++ % context_.size()] = token;
}

std::uint64_t Recorder::entry_key(std::uint64_t token) const {
  std::uint64_t h = mix(17, token);
  for (int i = 1; i <= params().entry_context; ++i) {
    h = mix(h, context_[(context_end_ - static_cast<std::uint64_t>(i)) % context_.size()]);
  }
  return h;
}

// -- matching --

bool Recorder::try_enter(const OpCall& call, std::uint64_t token) {
  const auto found = segments_.find(entry_key(token));
  if (found == segments_.end()) {
    return false;
  }
  Segment& segment = *found->second;
  if (calls_ < segment.rests_until || !segment.program->ready()) {
    return false;
  }
  matcher_.start(segment);
  if (!matcher_.matches(call, pending_)) {
    return false;
  }
  resumes_capture_ = state_ == State::capturing;
  if (resumes_capture_) {
    cut();
  }
  current_ = &segment;
  ++segment.entries;
  ++segment.recent_entries;
  state_ = State::matching;
  QueueList::instance().set_holds_calls(*entry_, true);
  matcher_.start(segment);
  matcher_.matches(call, pending_);
  defer(call, token);
  return true;
}

void Recorder::defer(const OpCall& call, std::uint64_t token) {
  if (pending_.size() <= pending_count_) {
    pending_.emplace_back();
  }
  pending_[pending_count_].assign(call);
  ++pending_count_;
  pending_tokens_.push_back(token);
  matcher_.accept(call);
  for (const Tensor& output : call.outputs) {
    if (output.storage()->producer() == nullptr) {
      output.storage()->set_producer(this);
    }
    pending_bytes_ += call.in_place ? 0 : output.storage()->bytes();
  }
  note_token(token);
  if (pending_bytes_ > params().max_pending_bytes && !matcher_.complete()) {
    run_pending(Exit::memory);
  }
}

/// Ends what the last call has completed. Not done in that call: its caller still holds the
/// operands, and those that are not used again need not be written.
void Recorder::finish() {
  if (state_ == State::matching && matcher_.complete()) {
    launch();
  }
  if (state_ == State::capturing && capture_left_ == 0) {
    cut();
    state_ = State::cold;
    captures_[finder_.rotation_hash(capture_period_)] = params().max_captures;
  }
}

const std::vector<int>& Recorder::live_results(const Flow& flow) {
  // An impl that only the queue refers to is dead; a storage is live if any other impl looks at it.
  queue_counts_.clear();
  dead_counts_.clear();
  for (std::size_t i = 0; i < pending_count_; ++i) {
    for (const auto* list : {&pending_[i].inputs, &pending_[i].outputs}) {
      for (const Tensor& t : *list) {
        if (t.defined() && !t.is_immediate()) {
          ++queue_counts_[t.impl()];
        }
      }
    }
  }
  for (const TensorImpl* impl : queue_counts_.keys()) {
    if (impl->use_count() == *queue_counts_.find(impl)) {
      ++dead_counts_[impl->storage.get()];
    }
  }
  live_.clear();
  for (std::size_t i = 0; i < flow.nodes.size(); ++i) {
    for (std::size_t o = 0; o < flow.nodes[i].outputs.size(); ++o) {
      const Storage* storage = pending_[i].outputs[o].storage().get();
      const std::uint32_t* dead = dead_counts_.find(storage);
      if (storage->use_count() > (dead == nullptr ? 0 : *dead)) {
        live_.push_back(flow.nodes[i].outputs[o]);
      }
    }
  }
  return live_;
}

void Recorder::launch() {
  Segment& segment = *current_;
  const std::vector<int>& live = live_results(segment.flow);
  const bool covered = std::all_of(live.begin(), live.end(), [&](int v) {
    return segment.flow.live[static_cast<std::size_t>(v)] != 0;
  });
  if (!covered) {
    const std::vector<int> grown = live;
    run_pending(Exit::live_set);
    grow_live_set(segment, grown);
    return;
  }
  const QueueEnd end(*this);
  launch_calls_.resize(pending_count_);
  for (std::size_t i = 0; i < pending_count_; ++i) {
    PendingCall& call = pending_[i];
    launch_calls_[i] = {call.inputs, call.outputs, call.attrs};
    for (const Tensor& output : call.outputs) {
      output.storage()->set_producer(nullptr);
    }
  }
  state_ = resumes_capture_ ? State::capturing : State::cold;
  try {
    const Running running(running_);
    segment.program->run(launch_calls_);
  } catch (...) {
    mark_failed({pending_.data(), pending_count_});
    clear_pending();
    throw;
  }
  ++segment.hits;
  ++stats_.launches;
  stats_.matched += pending_count_;
  if (segment.recent_entries >= static_cast<std::uint32_t>(params().exit_window)) {
    segment.recent_entries = 0;
    segment.recent_exits = 0;
  }
  clear_pending();
}

/// What was to be written in place keeps its contents.
void Recorder::mark_failed(std::span<const PendingCall> calls) {
  for (const PendingCall& call : calls) {
    for (const Tensor& output : call.outputs) {
      if (!call.in_place) {
        output.storage()->set_producer(FailedCalls::instance());
      }
    }
  }
}

void Recorder::clear_pending() {
  // Destructors may call back: detach the list first.
  const std::size_t count = std::exchange(pending_count_, 0);
  pending_tokens_.clear();
  pending_bytes_ = 0;
  current_ = nullptr;
  for (std::size_t i = 0; i < count; ++i) {
    pending_[i].clear();
  }
}

void Recorder::run_pending(Exit reason) {
  if (state_ != State::matching) {
    return;
  }
  state_ = State::cold;
  const QueueEnd end(*this);
  Segment& segment = *current_;
  std::vector<PendingCall> calls(
      std::make_move_iterator(pending_.begin()),
      std::make_move_iterator(pending_.begin() + static_cast<std::ptrdiff_t>(pending_count_)));
  const std::vector<std::uint64_t> tokens = pending_tokens_;
  for (const PendingCall& call : calls) {
    for (const Tensor& output : call.outputs) {
      output.storage()->set_producer(nullptr);
    }
  }
  clear_pending();
  std::size_t done = 0;
  try {
    const Running running(running_);
    for (; done < calls.size(); ++done) {
      PendingCall& call = calls[done];
      eager_.execute({*call.op, call.inputs, call.attrs, call.outputs, call.in_place});
    }
  } catch (...) {
    mark_failed(std::span(calls).subspan(done));
    throw;
  }
  for (const std::uint64_t token : tokens) {
    finder_.push(token);
  }
  note_exit(segment, reason);
}

void Recorder::note_exit(Segment& segment, Exit reason) {
  ++segment.exits[static_cast<int>(reason)];
  ++stats_.exits[static_cast<int>(reason)];
  ++segment.recent_exits;
  const Params& limits = params();
  const bool full = segment.recent_entries >= static_cast<std::uint32_t>(limits.exit_window) / 4;
  if (full && segment.recent_exits * 100 >
                  segment.recent_entries * static_cast<std::uint32_t>(limits.exit_percent)) {
    segment.penalty = std::clamp(segment.penalty * 2, limits.first_penalty, limits.max_penalty);
    segment.rests_until = calls_ + segment.penalty + (calls_ * 2654435761U >> 7) % 64;
    segment.recent_entries = 0;
    segment.recent_exits = 0;
  }
}

void Recorder::grow_live_set(Segment& segment, const std::vector<int>& live) {
  ++segment.live_sets;
  for (const int v : live) {
    segment.flow.live[static_cast<std::size_t>(v)] = 1;
  }
  if (segment.live_sets > params().max_live_sets) {
    for (const FlowNode& node : segment.flow.nodes) {
      for (const int v : node.outputs) {
        segment.flow.live[static_cast<std::size_t>(v)] = 1;
      }
    }
  }
  segment.program = maker_.make(segment.flow);
}

void Recorder::flush() {
  const Lock lock(*this);
  finish();
  run_pending(Exit::observed);
  if (state_ == State::capturing) {
    cut();
  }
}

void Recorder::produce(Storage& storage) {
  const Lock lock(*this);
  if (running_) {
    return;
  }
  finish();
  if (state_ == State::matching) {
    run_pending(Exit::observed);
  } else if (state_ == State::capturing) {
    cut();
  }
  if (storage.producer() == this) {
    storage.set_producer(nullptr);
  }
}

bool Recorder::reads(std::span<const Tensor> targets) const {
  const auto is_target = [&](const Tensor& t) {
    return t.defined() && !t.is_immediate() &&
           std::any_of(targets.begin(), targets.end(),
                       [&](const Tensor& target) { return t.storage() == target.storage(); });
  };
  return std::any_of(pending_.begin(),
                     pending_.begin() + static_cast<std::ptrdiff_t>(pending_count_),
                     [&](const PendingCall& call) {
                       return std::any_of(call.inputs.begin(), call.inputs.end(), is_target);
                     });
}

void Recorder::run_before_write(std::span<const Tensor> targets) {
  const Lock lock(*this);
  if (!running_ && state_ == State::matching && reads(targets)) {
    finish();
    run_pending(Exit::observed);
  }
}

void Recorder::set_enabled(bool enabled) {
  flush();
  enabled_ = enabled;
}

std::vector<const Segment*> Recorder::segments() const {
  std::vector<const Segment*> all;
  for (const auto& [entry, segment] : segments_) {
    all.push_back(segment.get());
  }
  return all;
}

}  // namespace rondo::tracer
