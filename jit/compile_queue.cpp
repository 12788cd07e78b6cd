#include "jit/compile_queue.h"

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "codegen/machine_code.h"
#include "codegen/plugin.h"
#include "core/base/error.h"
#include "jit/disk_cache.h"
#include "jit/params.h"

namespace rondo::jit {
namespace {

struct Counters {
  std::atomic<std::uint64_t> compiled{0};
  std::atomic<std::uint64_t> from_disk{0};
  std::atomic<std::uint64_t> failed{0};
  std::atomic<std::uint64_t> withdrawn{0};
  std::atomic<std::int64_t> nanoseconds{0};
};
Counters counters;

class Queue {
 public:
  bool submit(Priority priority, std::function<void()> job) {
    if (forked()) {
      return false;
    }
    const std::lock_guard lock(mutex_);
    std::deque<std::function<void()>>& jobs = jobs_[static_cast<int>(priority)];
    if (stopping_ || static_cast<int>(jobs.size()) >= params().queue) {
      return false;
    }
    jobs.push_back(std::move(job));
    if (!started_) {
      started_ = true;
      stop_at_exit();
      std::thread([this] { work(); }).detach();
    }
    wake_.notify_one();
    return true;
  }

  void wait() {
    if (forked()) {
      return;
    }
    std::unique_lock lock(mutex_);
    idle_.wait(lock,
               [this] { return stopping_ || (jobs_[0].empty() && jobs_[1].empty() && !busy_); });
  }

  static Queue& instance() {
    static Queue* const queue = new Queue;  // its thread may outlive static destruction
    return *queue;
  }

 private:
  /// In a child the lock may be held, and jobs be waiting, for a thread that it does not have.
  bool forked() const { return process_ != getpid(); }

  /// Handlers run in reverse order: one registered after the compiler has made its static objects
  /// stops the thread before they are destroyed.
  static void stop_at_exit() {
    on_exit([](int status, void*) { instance().stop(status); }, nullptr);
  }

  /// At exit: drops what is queued and lets the job at hand end, so that it does not run while its
  /// compiler is taken down. If that takes too long the process ends here and now.
  void stop(int status) {
    if (forked()) {
      return;
    }
    std::unique_lock lock(mutex_);
    stopping_ = true;
    jobs_[0].clear();
    jobs_[1].clear();
    if (!idle_.wait_for(lock, std::chrono::milliseconds(700), [this] { return !busy_; })) {
      std::fflush(nullptr);
      _exit(status);
    }
  }

  void work() {
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), params().worker_nice);
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return !jobs_[0].empty() || !jobs_[1].empty(); });
      std::deque<std::function<void()>>& jobs = jobs_[jobs_[0].empty() ? 1 : 0];
      std::function<void()> job = std::move(jobs.front());
      jobs.pop_front();
      busy_ = true;
      lock.unlock();
      try {
        job();
      } catch (const std::exception& e) {
        log_once(std::string("background work failed: ") + e.what());
      }
      job = nullptr;
      ++jobs_done_;
      if (jobs_done_ <= 64 && std::has_single_bit(jobs_done_)) {
        stop_at_exit();
      }
      lock.lock();
      busy_ = false;
      idle_.notify_all();
    }
  }

  const pid_t process_ = getpid();
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable idle_;
  std::deque<std::function<void()>> jobs_[2];
  bool started_ = false;
  bool stopping_ = false;
  bool busy_ = false;
  unsigned jobs_done_ = 0;  // the worker's own
};

/// Loaded code is kept for the life of the process: a thread may be running it.
codegen::KernelFunction keep(std::unique_ptr<codegen::LoadedCode> loaded) {
  static std::mutex mutex;
  static auto* const kept = new std::vector<std::unique_ptr<codegen::LoadedCode>>;
  const std::lock_guard guard(mutex);
  return kept->emplace_back(std::move(loaded))->function();
}

bool publish(KernelEntry& entry, const codegen::MachineCode& code) {
  std::string reason;
  std::unique_ptr<codegen::LoadedCode> loaded = codegen::LoadedCode::load(code, reason);
  if (!loaded) {
    log_once("kernels are interpreted: " + reason);
    return false;
  }
  entry.publish(keep(std::move(loaded)));
  return true;
}

}  // namespace

void log_once(const std::string& text) {
  static std::atomic_flag said = ATOMIC_FLAG_INIT;
  if (!said.test_and_set()) {
    std::fprintf(stderr, "rondo: %s\n", text.c_str());
  }
}

Params& params() {
  static Params instance = [] {
    Params limits;
    const char* jit = std::getenv("RONDO_JIT");
    limits.trace = jit == nullptr || std::string(jit) != "0";
    limits.mode = limits.trace ? Mode::background : Mode::interpreted;
    const char* profile = std::getenv("RONDO_PROFILE");
    limits.profile = profile != nullptr && std::string(profile) == "1";
    return limits;
  }();
  return instance;
}

bool submit(Priority priority, std::function<void()> job) {
  return Queue::instance().submit(priority, std::move(job));
}

void wait_for_compiles() {
  Queue::instance().wait();
}

void compile_now(KernelEntry& entry) {
  const codegen::OpenedTarget& opened = codegen::llvm_target();
  if (opened.target == nullptr) {
    log_once("kernels are interpreted: " + opened.reason);
    entry.rejected.store(true);
    return;
  }
  const Isa isa = current_isa();
  const std::string key = entry.key() + opened.target->identity() + (isa == Isa::v4 ? "v4" : "v3");
  codegen::MachineCode code;
  if (DiskCache::instance().read(key, code) && publish(entry, code)) {
    ++counters.from_disk;
    return;
  }
  try {
    const auto begin = std::chrono::steady_clock::now();
    code = opened.target->compile(entry.kernel(), entry.variant(), isa);
    counters.nanoseconds += (std::chrono::steady_clock::now() - begin).count();
    if (publish(entry, code)) {
      ++counters.compiled;
      DiskCache::instance().write(key, code);
      return;
    }
  } catch (const Error& error) {
    log_once(std::string("a kernel is interpreted: ") + error.what());
  }
  ++counters.failed;
  entry.rejected.store(true);
}

void request_compile(KernelEntry& entry) {
  if (!entry.requested.exchange(true)) {
    submit(Priority::compiling, [&entry] { compile_now(entry); });
  }
}

CompileStats compile_stats() {
  return {counters.compiled.load(), counters.from_disk.load(), counters.failed.load(),
          counters.withdrawn.load(), static_cast<double>(counters.nanoseconds.load()) * 1e-6};
}

void note_rejected(KernelEntry& entry, const std::string& why) {
  entry.publish(nullptr);
  entry.rejected.store(true);
  ++counters.withdrawn;
  log_once("a compiled kernel was withdrawn: " + why);
}

}  // namespace rondo::jit
