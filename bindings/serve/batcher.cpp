#include "bindings/serve/batcher.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <future>

#include "core/op/call.h"

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

namespace {

Answer not_done(Answer::Outcome outcome, std::string text) {
  return {outcome, {}, ErrorKind::cancelled, std::move(text)};
}

Answer late() {
  return not_done(Answer::Outcome::late, "infer: the deadline has passed");
}

Answer stopped() {
  return not_done(Answer::Outcome::stopped, "infer: the server is stopping");
}

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

/// Results on the host, in memory of their own order.
std::vector<Tensor> finished(const std::vector<Tensor>& outputs) {
  std::vector<Tensor> result;
  for (const Tensor& output : outputs) {
    result.push_back(contiguous(output));
    result.back().data();
  }
  return result;
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

Answer Batcher::run(const std::string& method, const std::vector<Tensor>& inputs,
                    std::optional<Clock::time_point> deadline) {
  const serialize::Method& signature = module_->method(method);
  module_->check_call(method, serialize::Mode::eval, inputs);

  const auto job = std::make_shared<Job>();
  job->method = method;
  job->deadline = deadline;
  for (const Tensor& input : inputs) {
    job->inputs.push_back(contiguous(input));
    job->inputs.back().data();
  }
  job->rows = !inputs.empty() && inputs[0].rank() > 0 ? inputs[0].size(0) : 1;
  job->joins = rows_are_independent(signature) && job->rows > 0;
  std::future<Answer> answer = job->answer.get_future();
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) {
      return stopped();
    }
    if (queue_.size() >= options_.queue) {
      return not_done(Answer::Outcome::full,
                      fmt::format("infer: the queue is full: {} requests wait; try again later",
                                  queue_.size()));
    }
    queue_.push_back(job);
    metrics_.queued = static_cast<std::int64_t>(queue_.size());
  }
  changed_.notify_all();
  if (deadline && answer.wait_until(*deadline) == std::future_status::timeout) {
    job->abandoned = true;
    return late();
  }
  return answer.get();
}

void Batcher::work() {
  jit::Session session(module_);
  for (Jobs jobs = take(); !jobs.empty(); jobs = take()) {
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
    changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
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
        job->answer.set_value(late());
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
  options.abandoned = [&job] { return job.abandoned.load(); };
  try {
    answer.outputs = finished(session.run(job.method, job.inputs, options));
  } catch (const CancelledError&) {
    answer = late();
  } catch (const Error& error) {
    answer = {Answer::Outcome::failed, {}, error.kind(), error.what()};
  } catch (const std::exception& error) {
    answer = {Answer::Outcome::failed, {}, ErrorKind::internal, error.what()};
  }
  metrics_.count_batch(job.rows, std::chrono::duration<double>(Clock::now() - start).count());
  job.answer.set_value(std::move(answer));
}

void Batcher::run_together(jit::Session& session, const Jobs& jobs) {
  const Clock::time_point start = Clock::now();
  std::int64_t rows = 0;
  for (const std::shared_ptr<Job>& job : jobs) {
    rows += job->rows;
  }
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
  jit::RunOptions options;
  options.finish = true;
  options.abandoned = [&jobs] {
    return std::all_of(jobs.begin(), jobs.end(), [](const auto& job) {
      return job->abandoned || (job->deadline && Clock::now() >= *job->deadline);
    });
  };
  const std::vector<Tensor> outputs = finished(session.run(jobs[0]->method, joined, options));
  for (const Tensor& output : outputs) {
    invariant(output.rank() > 0 && output.size(0) == rows,
              "a row-independent method gave another number of rows");
  }
  metrics_.count_batch(rows, std::chrono::duration<double>(Clock::now() - start).count());
  std::int64_t first = 0;
  for (const std::shared_ptr<Job>& job : jobs) {
    Answer answer;
    for (const Tensor& output : outputs) {
      answer.outputs.push_back(rows_of(output, first, job->rows));
    }
    first += job->rows;
    job->answer.set_value(std::move(answer));
  }
}

}  // namespace rondo::serve
