// Runs requests on a few sessions; those of row-independent methods that arrive together run as
// one.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "bindings/serve/metrics.h"
#include "core/base/error.h"
#include "jit/session.h"

namespace rondo::serve {

struct BatchOptions {
  int threads = 1;                            // each has a session of its own
  std::int64_t max_batch = 32;                // rows of a run
  std::chrono::microseconds max_delay{1000};  // how long a request waits for others
  std::size_t queue = 256;                    // requests that may wait
  jit::RunLimits limits;                      // of what one request costs
};

/// How long somebody waits for the answer to a request.
struct Patience {
  std::optional<std::chrono::steady_clock::time_point> deadline{};
  /// True once nobody waits any more; asked every ten milliseconds, by the thread that waits.
  std::function<bool()> gone{};
};

/// What became of a request.
struct Answer {
  enum class Outcome { done, failed, full, late, gone, stopped };
  Outcome outcome = Outcome::done;
  std::vector<Tensor> outputs;  // contiguous, if done
  ErrorKind kind = ErrorKind::internal;
  std::string text;  // why it is not done
};

/// What a request gets that finds so many waiting.
Answer full_queue(std::size_t waiting);

class Batcher {
 public:
  using Clock = std::chrono::steady_clock;

  Batcher(std::shared_ptr<const jit::Module> module, const BatchOptions& options, Metrics& metrics);
  /// Answers what waits with `stopped`; what runs is finished.
  ~Batcher();

  /// Checks the inputs against the signature, waits for a session, runs. Others that run in the
  /// same batch have been checked too: none fails because of another. A run ends between kernels
  /// when nobody waits for it. May be called from any thread. Errors: those of the check.
  Answer run(const std::string& method, const std::vector<Tensor>& inputs,
             const Patience& patience = {});

  /// Whether a request would be refused now because too many wait.
  bool full() const;

  /// Runs a method on every session until its kernels are compiled and have been compared with the
  /// interpreter. Returns what went wrong, empty if nothing did. One at a time.
  std::string warm(const std::string& method, const std::vector<Tensor>& inputs);

  /// From now on requests are refused and those that wait are answered, all with `stopped`.
  void stop();
  /// The same, and runs under way end at their next kernel.
  void cancel();

 private:
  struct Job;
  struct Warming;
  using Jobs = std::vector<std::shared_ptr<Job>>;

  Answer await(std::future<Answer>& answer, Job& job, const Patience& patience);
  void work();
  void warm_up(jit::Session& session, Warming& warming);
  Jobs take();
  bool drop_if_late(const std::shared_ptr<Job>& job);
  void take_alike(Jobs& jobs, std::int64_t& rows);
  void execute(jit::Session& session, const Jobs& jobs);
  void run_alone(jit::Session& session, Job& job);
  static std::vector<Tensor> joined_inputs(const Jobs& jobs, std::int64_t rows);
  void run_together(jit::Session& session, const Jobs& jobs);

  std::shared_ptr<const jit::Module> module_;
  BatchOptions options_;
  Metrics& metrics_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Job>> queue_;
  std::int64_t running_ = 0;  // jobs taken and not yet answered
  bool stopping_ = false;
  std::atomic<bool> cancelled_{false};
  std::shared_ptr<Warming> warming_;  // what every session is to run once
  std::vector<std::thread> threads_;
};

}  // namespace rondo::serve
