#include "core/base/thread_pool.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <climits>
#include <csignal>
#include <exception>
#include <memory>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/cpu_count.h"
#include "core/base/error.h"
#include "core/base/float_environment.h"

namespace rondo {
namespace {

constexpr int kMaxThreads = 1024;
constexpr int kPartsPerThread = 4;
// Kernels follow each other closely, and waking a thread costs more than most of them.
constexpr std::chrono::microseconds kSpin{200};

thread_local bool inside_region = false;
std::atomic<int> requested_threads{0};  // 0 until it is asked for
std::atomic<std::int64_t> most_grain{INT64_MAX};

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  static_assert(sizeof(word) == sizeof(std::uint32_t));
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void futex_wake(std::atomic<std::uint32_t>& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

// Spins until `ready` holds or kSpin has passed; returns whether it held.
template <class Ready>
bool spin_until(Ready ready) {
  const auto end = std::chrono::steady_clock::now() + kSpin;
  do {
    for (int i = 0; i < 16; ++i) {
      if (ready()) {
        return true;
      }
      __builtin_ia32_pause();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

// What one parallel_for asks for: `units` of `grain` indices, dealt out in `parts`.
struct Job {
  const FunctionRef<void(std::int64_t, std::int64_t)>* body = nullptr;
  std::int64_t count = 0;
  std::int64_t grain = 1;
  std::int64_t units = 0;
  std::int64_t parts = 0;
  int participants = 1;
};

// The parts that one participant begins with; the others take from it when theirs are done.
struct alignas(64) Share {
  std::atomic<std::int64_t> next{0};
  std::int64_t end = 0;
};

struct alignas(64) Worker {
  std::thread thread;
  std::atomic<std::uint32_t> asleep{0};  // a futex
};

class Pool {
 public:
  bool try_acquire() { return !busy_.exchange(true, std::memory_order_acquire); }
  void release() { busy_.store(false, std::memory_order_release); }

  // These two are called by the one that has acquired the pool.
  void run(Job job, int threads);
  void stop_workers();

 private:
  // The gate's bits: how many workers are inside, whether more may enter, the number of the job.
  // A worker reads the job only after it has entered; the caller changes the job only when the gate
  // is shut and nobody is inside.
  static constexpr std::uint64_t kInside = 0xFFFF;
  static constexpr std::uint64_t kOpen = 0x10000;
  static constexpr std::uint64_t kNext = 0x20000;

  void start_workers(int count);
  void open_gate();
  void shut_gate();
  void worker_loop(Worker& worker, int index);
  std::uint64_t wait_for_job(Worker& worker, std::uint64_t seen);
  bool try_enter(std::uint64_t gate);
  void leave();
  void take_parts(int participant);
  void run_part(std::int64_t part);

  std::atomic<bool> busy_{false};
  std::vector<std::unique_ptr<Worker>> workers_;
  std::array<Share, kMaxThreads> shares_;
  Job job_;
  std::exception_ptr error_;

  alignas(64) std::atomic<std::uint64_t> gate_{0};
  std::atomic<bool> stopping_{false};
  alignas(64) std::atomic<bool> cancelled_{false};
  std::atomic<std::uint32_t> caller_asleep_{0};  // a futex
};

void Pool::run(Job job, int threads) {
  const auto wanted = static_cast<int>(std::min<std::int64_t>(threads, job.parts));
  start_workers(wanted - 1);
  job.participants = std::min(wanted, static_cast<int>(workers_.size()) + 1);
  job_ = job;
  for (int i = 0; i < job.participants; ++i) {
    Share& share = shares_[static_cast<std::size_t>(i)];
    share.next.store(i * job.parts / job.participants, std::memory_order_relaxed);
    share.end = (i + 1) * job.parts / job.participants;
  }
  cancelled_.store(false, std::memory_order_relaxed);
  open_gate();
  inside_region = true;
  take_parts(0);
  inside_region = false;
  shut_gate();
  if (error_ != nullptr) [[unlikely]] {
    std::rethrow_exception(std::exchange(error_, nullptr));
  }
}

void Pool::open_gate() {
  const std::uint64_t job_number = gate_.load(std::memory_order_relaxed) & ~(kOpen | kInside);
  gate_.store((job_number + kNext) | kOpen, std::memory_order_seq_cst);
  for (int i = 0; i + 1 < job_.participants; ++i) {
    Worker& worker = *workers_[static_cast<std::size_t>(i)];
    if (worker.asleep.load(std::memory_order_seq_cst) != 0) {
      worker.asleep.store(0, std::memory_order_seq_cst);
      futex_wake(worker.asleep);
    }
  }
}

void Pool::shut_gate() {
  gate_.fetch_and(~kOpen, std::memory_order_acq_rel);
  const auto empty = [this] { return (gate_.load(std::memory_order_seq_cst) & kInside) == 0; };
  if (spin_until(empty)) {
    return;
  }
  while (true) {
    caller_asleep_.store(1, std::memory_order_seq_cst);
    if (empty()) {
      return;
    }
    futex_wait(caller_asleep_, 1);
  }
}

bool Pool::try_enter(std::uint64_t gate) {
  while ((gate & kOpen) != 0) {
    if (gate_.compare_exchange_weak(gate, gate + 1, std::memory_order_acq_rel,
                                    std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

void Pool::leave() {
  const std::uint64_t before = gate_.fetch_sub(1, std::memory_order_seq_cst);
  const bool last = (before & (kOpen | kInside)) == 1;
  if (last && caller_asleep_.load(std::memory_order_seq_cst) != 0) {
    caller_asleep_.store(0, std::memory_order_seq_cst);
    futex_wake(caller_asleep_);
  }
}

void Pool::take_parts(int participant) {
  for (int i = 0; i < job_.participants; ++i) {
    const int owner = (participant + i) % job_.participants;
    Share& share = shares_[static_cast<std::size_t>(owner)];
    while (!cancelled_.load(std::memory_order_relaxed)) {
      const std::int64_t part = share.next.fetch_add(1, std::memory_order_relaxed);
      if (part >= share.end) {
        break;
      }
      run_part(part);
    }
  }
}

void Pool::run_part(std::int64_t part) {
  const std::int64_t begin = part * job_.units / job_.parts * job_.grain;
  const std::int64_t end = (part + 1) * job_.units / job_.parts * job_.grain;
  try {
    (*job_.body)(begin, std::min(end, job_.count));
  } catch (...) {
    if (!cancelled_.exchange(true, std::memory_order_relaxed)) {
      error_ = std::current_exception();
    }
  }
}

void Pool::worker_loop(Worker& worker, int index) {
  inside_region = true;
  std::uint64_t seen = 0;
  while (!stopping_.load(std::memory_order_acquire)) {
    const std::uint64_t gate = wait_for_job(worker, seen);
    seen = gate & ~(kOpen | kInside);
    if (try_enter(gate)) {
      if (index + 1 < job_.participants) {
        const FloatEnvironment environment;
        take_parts(index + 1);
      }
      leave();
    }
  }
}

// Returns a gate that is open for another job than the one seen, or any gate when stopping.
std::uint64_t Pool::wait_for_job(Worker& worker, std::uint64_t seen) {
  std::uint64_t gate = 0;
  const auto ready = [&] {
    gate = gate_.load(std::memory_order_seq_cst);
    return ((gate & kOpen) != 0 && (gate & ~(kOpen | kInside)) != seen) ||
           stopping_.load(std::memory_order_seq_cst);
  };
  if (spin_until(ready)) {
    return gate;
  }
  while (true) {
    worker.asleep.store(1, std::memory_order_seq_cst);
    if (ready()) {
      worker.asleep.store(0, std::memory_order_relaxed);
      return gate;
    }
    futex_wait(worker.asleep, 1);
  }
}

void Pool::start_workers(int count) {
  const auto wanted = static_cast<std::size_t>(count);
  if (workers_.size() >= wanted) {
    return;
  }
  // Signals go to the program's own threads, except those that a thread raises itself.
  sigset_t blocked;
  sigset_t before;
  sigfillset(&blocked);
  for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT}) {
    sigdelset(&blocked, own);
  }
  pthread_sigmask(SIG_SETMASK, &blocked, &before);
  while (workers_.size() < wanted) {
    const auto index = static_cast<int>(workers_.size());
    auto worker = std::make_unique<Worker>();
    try {
      worker->thread = std::thread([this, index, &own = *worker] { worker_loop(own, index); });
    } catch (const std::system_error&) {  // no more threads to be had: run with fewer
      break;
    }
    pthread_setname_np(worker->thread.native_handle(), "rondo-pool");
    workers_.push_back(std::move(worker));
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void Pool::stop_workers() {
  stopping_.store(true, std::memory_order_seq_cst);
  for (auto& worker : workers_) {
    worker->asleep.store(0, std::memory_order_seq_cst);
    futex_wake(worker->asleep);
    worker->thread.join();
  }
  workers_.clear();
  stopping_.store(false, std::memory_order_seq_cst);
}

// The pool is never destroyed: its threads may still be asleep when the process ends.
std::atomic<Pool*> the_pool{nullptr};

// A forked child has none of the threads; it makes a pool of its own when it first needs one.
[[maybe_unused]] const int fork_handler =
    pthread_atfork(nullptr, nullptr, [] { the_pool.store(nullptr, std::memory_order_relaxed); });

Pool& pool() {
  Pool* existing = the_pool.load(std::memory_order_acquire);
  if (existing != nullptr) [[likely]] {
    return *existing;
  }
  auto fresh = std::make_unique<Pool>();
  if (the_pool.compare_exchange_strong(existing, fresh.get(), std::memory_order_acq_rel)) {
    return *fresh.release();
  }
  return *existing;
}

// Holds the pool for one parallel_for, or has found it taken.
class PoolLease {
 public:
  PoolLease() : pool_(pool()), held_(pool_.try_acquire()) {}
  ~PoolLease() {
    if (held_) {
      pool_.release();
    }
  }
  PoolLease(const PoolLease&) = delete;
  PoolLease& operator=(const PoolLease&) = delete;

  bool held() const { return held_; }
  Pool& operator*() const { return pool_; }

 private:
  Pool& pool_;
  bool held_;
};

// Makes nested calls run in their thread while the caller runs a whole range by itself.
class InsideRegion {
 public:
  InsideRegion() : before_(std::exchange(inside_region, true)) {}
  ~InsideRegion() { inside_region = before_; }
  InsideRegion(const InsideRegion&) = delete;
  InsideRegion& operator=(const InsideRegion&) = delete;

 private:
  bool before_;
};

}  // namespace

int num_threads() {
  int threads = requested_threads.load(std::memory_order_relaxed);
  if (threads == 0) [[unlikely]] {
    const int found = std::min(available_cpus(), kMaxThreads);
    requested_threads.compare_exchange_strong(threads, found, std::memory_order_relaxed);
    threads = requested_threads.load(std::memory_order_relaxed);
  }
  return threads;
}

void set_num_threads(int count) {
  check<ArgumentError>(count >= 1 && count <= kMaxThreads,
                       "set_num_threads: bad count: {}; expected 1 to {}", count, kMaxThreads);
  check<ArgumentError>(!inside_region,
                       "set_num_threads: called inside a parallel_for; call it outside");
  if (requested_threads.exchange(count, std::memory_order_relaxed) == count) {
    return;
  }
  Pool& current = pool();
  while (!current.try_acquire()) {
    std::this_thread::yield();
  }
  current.stop_workers();
  current.release();
}

bool in_parallel_region() {
  return inside_region;
}

std::int64_t worth_a_thread(std::int64_t usual) {
  return std::min(usual, most_grain.load(std::memory_order_relaxed));
}

std::int64_t set_most_grain(std::int64_t most) {
  return most_grain.exchange(most, std::memory_order_relaxed);
}

void parallel_for(std::int64_t count, std::int64_t grain,
                  FunctionRef<void(std::int64_t, std::int64_t)> body) {
  if (count <= 0) {
    return;
  }
  const int threads = inside_region ? 1 : num_threads();
  const std::int64_t unit = std::max<std::int64_t>(worth_a_thread(grain), 1);
  const std::int64_t units = (count - 1) / unit + 1;
  const FloatEnvironment environment;
  if (threads > 1 && units > 1) {
    const PoolLease lease;
    if (lease.held()) {
      Job job;
      job.body = &body;
      job.count = count;
      job.grain = unit;
      job.units = units;
      job.parts = std::min<std::int64_t>(units, std::int64_t{threads} * kPartsPerThread);
      (*lease).run(job, threads);
      return;
    }
  }
  const InsideRegion region;
  body(0, count);
}

}  // namespace rondo
