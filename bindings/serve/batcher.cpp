#include "bindings/serve/batcher.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "core/op/call.h"
#include "jit/compile_queue.h"
#include "jit/kernel_cache.h"

namespace rondo::serve {

struct Batcher::Job {
  std::string method;
  std::vector<Tensor> inputs;
  std::int64_t rows = 0;
  bool joins = false;  // may run together with others
  Clock::time_point arrival = Clock::now();
  std::optional<Clock::time_point> deadline;
  std::atomic<bool> abandoned{false};
  std::promise<Answer> answer;
};

/// Runs that every session does once.
struct Batcher::Warming {
  std::string method;
  std::vector<Tensor> inputs;
  int ended = 0;
  std::string fault;
};

namespace {

Answer not_done(Answer::Outcome outcome, std::string text) {
  return {outcome, {}, ErrorKind::cancelled, std::move(text)};
}

Answer late() {
  return not_done(Answer::Outcome::late, "infer: the deadline has passed");
}

Answer gone() {
  return not_done(Answer::Outcome::gone, "infer: the client has closed its connection");
}

Answer stopped() {
  return not_done(Answer::Outcome::stopped, "infer: the server is stopping");
}

}  // namespace

Answer full_queue(std::size_t waiting) {
  return not_done(
      Answer::Outcome::full,
      fmt::format("infer: the queue is full: {} requests wait; try again later", waiting));
}

namespace {

bool rows_are_independent(const serialize::Method& method) {
  for (const serialize::Body& body : method.bodies) {
    if (std::find(body.modes.begin(), body.modes.end(), serialize::Mode::eval) !=
        body.modes.end()) {
      return body.row_dependence.empty() && body.rng.empty() && body.mutable_buffers.empty() &&
             !method.inputs.empty();
    }
  }
  return false;
}

/// Equal dtypes and equal sizes but for the rows.
bool alike(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].dtype() != b[i].dtype() || a[i].rank() != b[i].rank() ||
        !std::equal(a[i].shape().begin() + 1, a[i].shape().end(), b[i].shape().begin() + 1)) {
      return false;
    }
  }
  return true;
}

/// The tensors in row-major order, with nothing deferred: other threads may read them.
std::vector<Tensor> finished(const std::vector<Tensor>& tensors) {
  std::vector<Tensor> result;
  for (const Tensor& tensor : tensors) {
    result.push_back(contiguous(tensor));
    result.back().data();
  }
  return result;
}

/// How often a method that is warmed runs before it is looked at what has been compiled: enough for
/// its repeats to be found. How often at most that is done: kernels may come one after the other.
constexpr int kWarmRuns = 20;
constexpr int kWarmRounds = 8;

/// How often a request that is under way is asked whether somebody still waits for it.
constexpr std::chrono::milliseconds kLook{10};

std::uint64_t kernels_done() {
  const jit::CompileStats stats = jit::compile_stats();
  return stats.compiled + stats.from_disk + stats.failed;
}

bool all_compared() {
  const std::vector<jit::KernelEntry*> entries = jit::KernelCache::instance().entries();
  return std::none_of(entries.begin(), entries.end(), [](const jit::KernelEntry* entry) {
    return entry->compiled() != nullptr && entry->shadow_left > 0;
  });
}

std::int64_t bytes_of(const Tensor& tensor) {
  return size_bytes(tensor.dtype(), tensor.numel());
}

Tensor rows_of(const Tensor& all, std::int64_t first, std::int64_t count) {
  Shape shape = all.shape();
  const std::int64_t row = all.strides()[0];
  shape[0] = count;
  return Tensor::view_of(all.storage(), shape, contiguous_strides(shape),
                         all.offset() + first * row, all.dtype());
}

}  // namespace

Batcher::Batcher(std::shared_ptr<const jit::Module> module, const BatchOptions& options,
                 Metrics& metrics)
    : module_(std::move(module)), options_(options), metrics_(metrics) {
  for (int i = 0; i < options_.threads; ++i) {
    threads_.emplace_back([this] { work(); });
  }
}

Batcher::~Batcher() {
  stop();
  for (std::thread& thread : threads_) {
    thread.join();
  }
}

void Batcher::stop() {
  std::deque<std::shared_ptr<Job>> waiting;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    waiting.swap(queue_);
    metrics_.queued = 0;
  }
  changed_.notify_all();
  for (const std::shared_ptr<Job>& job : waiting) {
    job->answer.set_value(stopped());
  }
}

void Batcher::cancel() {
  cancelled_ = true;
  stop();
}

Answer Batcher::run(const std::string& method, const std::vector<Tensor>& inputs,
                    const Patience& patience) {
  const serialize::Method& signature = module_->method(method);
  module_->check_call(method, serialize::Mode::eval, inputs);

  const auto job = std::make_shared<Job>();
  job->method = method;
  job->deadline = patience.deadline;
  job->inputs = finished(inputs);
  job->rows = !inputs.empty() && inputs[0].rank() > 0 ? inputs[0].size(0) : 1;
  job->joins = rows_are_independent(signature) && job->rows > 0;
  std::future<Answer> answer = job->answer.get_future();
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) {
      return stopped();
    }
    if (queue_.size() >= options_.queue) {
      return full_queue(options_.queue);
    }
    queue_.push_back(job);
    metrics_.queued = static_cast<std::int64_t>(queue_.size());
  }
  changed_.notify_all();
  return await(answer, *job, patience);
}

Answer Batcher::await(std::future<Answer>& answer, Job& job, const Patience& patience) {
  while (true) {
    Clock::time_point until = Clock::now() + (patience.gone ? kLook : std::chrono::hours(1));
    if (patience.deadline) {
      until = std::min(until, *patience.deadline);
    }
    if (answer.wait_until(until) == std::future_status::ready) {
      return answer.get();
    }
    const bool is_late = patience.deadline && Clock::now() >= *patience.deadline;
    if (is_late || (patience.gone && patience.gone())) {
      job.abandoned = true;
      ++metrics_.ended;
      return is_late ? late() : gone();
    }
  }
}

bool Batcher::full() const {
  const std::lock_guard lock(mutex_);
  return queue_.size() >= options_.queue;
}

std::string Batcher::warm(const std::string& method, const std::vector<Tensor>& inputs) {
  module_->check_call(method, serialize::Mode::eval, inputs);
  const auto warming = std::make_shared<Warming>();
  warming->method = method;
  warming->inputs = finished(inputs);
  std::unique_lock lock(mutex_);
  warming_ = warming;
  changed_.notify_all();
  changed_.wait(lock, [&] { return stopping_ || warming->ended == options_.threads; });
  warming_ = nullptr;
  return warming->fault;
}

void Batcher::warm_up(jit::Session& session, Warming& warming) {
  std::string fault;
  jit::RunOptions options;
  options.finish = true;
  options.limits = options_.limits;
  options.abandoned = [this] { return cancelled_.load(); };
  try {
    for (int round = 0; round < kWarmRounds; ++round) {
      const std::uint64_t before = kernels_done();
      for (int i = 0; i < kWarmRuns; ++i) {
        finished(session.run(warming.method, warming.inputs, options));
      }
      jit::wait_for_compiles();
      if (round > 0 && kernels_done() == before && all_compared()) {
        break;
      }
    }
  } catch (const std::exception& error) {
    fault = error.what();
  }
  const std::lock_guard lock(mutex_);
  warming.fault = fault.empty() ? warming.fault : fault;
  ++warming.ended;
  changed_.notify_all();
}

void Batcher::work() {
  jit::Session session(module_);
  std::shared_ptr<Warming> warmed;
  while (true) {
    std::shared_ptr<Warming> warming;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] {
        return stopping_ || !queue_.empty() || (warming_ != nullptr && warming_ != warmed);
      });
      warming = !stopping_ && warming_ != warmed ? warming_ : nullptr;
    }
    if (warming != nullptr) {
      warm_up(session, *warming);
      warmed = warming;
      continue;
    }
    const Jobs jobs = take();
    if (jobs.empty()) {
      const std::lock_guard lock(mutex_);
      if (stopping_ && queue_.empty()) {
        return;
      }
      continue;
    }
    execute(session, jobs);
    const std::lock_guard lock(mutex_);
    running_ -= static_cast<std::int64_t>(jobs.size());
  }
}

bool Batcher::drop_if_late(const std::shared_ptr<Job>& job) {
  const std::optional<Clock::time_point>& deadline = job->deadline;
  if (job->abandoned || (deadline && Clock::now() >= *deadline)) {
    job->answer.set_value(late());
    return true;
  }
  return false;
}

Batcher::Jobs Batcher::take() {
  std::unique_lock lock(mutex_);
  Jobs jobs;
  while (jobs.empty()) {
    if (queue_.empty()) {
      return {};
    }
    if (!drop_if_late(queue_.front())) {
      jobs.push_back(queue_.front());
    }
    queue_.pop_front();
    metrics_.queued = static_cast<std::int64_t>(queue_.size());
  }
  ++running_;
  std::int64_t rows = jobs[0]->rows;
  const Clock::time_point limit = jobs[0]->arrival + options_.max_delay;
  while (jobs[0]->joins) {
    take_alike(jobs, rows);
    // Waiting is of use only while some request is on its way that is not here yet.
    const bool others = metrics_.active > running_ + static_cast<std::int64_t>(queue_.size());
    if (rows >= options_.max_batch || stopping_ || !others || Clock::now() >= limit) {
      break;
    }
    changed_.wait_until(lock, limit);
  }
  metrics_.queued = static_cast<std::int64_t>(queue_.size());
  return jobs;
}

void Batcher::take_alike(Jobs& jobs, std::int64_t& rows) {
  for (auto next = queue_.begin(); next != queue_.end() && rows < options_.max_batch;) {
    const std::shared_ptr<Job> job = *next;
    const bool fits = job->joins && job->method == jobs[0]->method &&
                      rows + job->rows <= options_.max_batch && alike(job->inputs, jobs[0]->inputs);
    if (!fits) {
      ++next;
      continue;
    }
    next = queue_.erase(next);
    if (!drop_if_late(job)) {
      jobs.push_back(job);
      rows += job->rows;
      ++running_;
    }
  }
}

void Batcher::execute(jit::Session& session, const Jobs& jobs) {
  if (jobs.size() > 1) {
    try {
      run_together(session, jobs);
      return;
    } catch (const CancelledError&) {
      for (const std::shared_ptr<Job>& job : jobs) {
        job->answer.set_value(cancelled_ ? stopped() : late());
      }
      return;
    } catch (const std::exception&) {
      // Data of one of them may be wrong, such as an index out of range, which is no error of the
      // others: each is tried alone.
    }
  }
  for (const std::shared_ptr<Job>& job : jobs) {
    run_alone(session, *job);
  }
}

void Batcher::run_alone(jit::Session& session, Job& job) {
  const Clock::time_point start = Clock::now();
  Answer answer;
  jit::RunOptions options;
  options.finish = true;
  options.deadline = job.deadline;
  options.limits = options_.limits;
  options.abandoned = [this, &job] { return job.abandoned || cancelled_; };
  try {
    answer.outputs = finished(session.run(job.method, job.inputs, options));
  } catch (const CancelledError&) {
    answer = cancelled_ ? stopped() : gone();
  } catch (const DeadlineError&) {
    answer = late();
  } catch (const Error& error) {
    answer = {Answer::Outcome::failed, {}, error.kind(), error.what()};
  } catch (const std::exception& error) {
    answer = {Answer::Outcome::failed, {}, ErrorKind::internal, error.what()};
  }
  metrics_.count_batch(job.rows, std::chrono::duration<double>(Clock::now() - start).count());
  job.answer.set_value(std::move(answer));
}

/// The inputs of all, one behind the other along axis 0.
std::vector<Tensor> Batcher::joined_inputs(const Jobs& jobs, std::int64_t rows) {
  std::vector<Tensor> joined;
  for (std::size_t i = 0; i < jobs[0]->inputs.size(); ++i) {
    Shape shape = jobs[0]->inputs[i].shape();
    shape[0] = rows;
    const Tensor tensor = Tensor::empty(shape, jobs[0]->inputs[i].dtype());
    std::byte* next = tensor.data();
    for (const std::shared_ptr<Job>& job : jobs) {
      const auto size = static_cast<std::size_t>(bytes_of(job->inputs[i]));
      if (size != 0) {
        std::memcpy(next, job->inputs[i].data(), size);
      }
      next += size;
    }
    joined.push_back(tensor);
  }
  return joined;
}

void Batcher::run_together(jit::Session& session, const Jobs& jobs) {
  const Clock::time_point start = Clock::now();
  std::int64_t rows = 0;
  for (const std::shared_ptr<Job>& job : jobs) {
    rows += job->rows;
  }
  jit::RunOptions options;
  options.finish = true;
  options.limits.work = options_.limits.work * static_cast<double>(jobs.size());
  options.abandoned = [this, &jobs] {
    return cancelled_ || std::all_of(jobs.begin(), jobs.end(), [](const auto& job) {
             return job->abandoned || (job->deadline && Clock::now() >= *job->deadline);
           });
  };
  const std::vector<Tensor> outputs =
      finished(session.run(jobs[0]->method, joined_inputs(jobs, rows), options));
  for (const Tensor& output : outputs) {
    invariant(output.rank() > 0 && output.size(0) == rows,
              "a row-independent method gave another number of rows");
  }
  // All of them before the first is given: whoever fails here is run alone, and no promise may be
  // kept twice.
  std::vector<Answer> answers(jobs.size());
  std::int64_t first = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    for (const Tensor& output : outputs) {
      answers[i].outputs.push_back(rows_of(output, first, jobs[i]->rows));
    }
    first += jobs[i]->rows;
  }
  metrics_.count_batch(rows, std::chrono::duration<double>(Clock::now() - start).count());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    jobs[i]->answer.set_value(std::move(answers[i]));
  }
}

}  // namespace rondo::serve
