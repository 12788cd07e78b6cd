#include "tracer/recorder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <future>
#include <thread>
#include <utility>

#include "core/autograd/backward.h"
#include "core/base/error.h"
#include "core/ops/all.h"
#include "core/tensor/allocator.h"
#include "jit/compile_queue.h"
#include "jit/thread_executor.h"
#include "tests/support/check_error.h"
#include "tests/support/settings.h"
#include "tests/support/tensors.h"

namespace rondo {
namespace {

using test::floats;
using test::values;
using Values = std::vector<double>;

Tensor ramp(const Shape& shape, double scale) {
  return (reshape(arange(0, shape.numel(), 1, Dtype::float32), shape) -
          static_cast<double>(shape.numel()) / 2) *
         scale;
}

/// Trains a small network for `steps` and returns its weights and last loss.
Values train(int steps) {
  const Tensor x = contiguous(ramp({16, 8}, 0.02));
  const Tensor target = contiguous(ramp({16, 1}, 0.05));
  std::vector<Tensor> weights{contiguous(ramp({8, 12}, 0.01)), contiguous(ramp({12}, 0.02)),
                              contiguous(ramp({12, 1}, 0.03))};
  for (const Tensor& w : weights) {
    set_requires_grad(w, true);
  }
  Tensor loss;
  for (int step = 0; step < steps; ++step) {
    const Tensor h = tanh(matmul(x, weights[0]) + weights[1]);
    const Tensor error = matmul(h, weights[2]) - target;
    loss = mean(error * error);
    const std::vector<Tensor> grads = gradients({&loss, 1}, weights, {});
    const GradMode no_grad(false);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      sub.in_place(weights[i], grads[i] * 0.1);
    }
  }
  Values all = values(loss);
  for (const Tensor& w : weights) {
    const Values v = values(w);
    all.insert(all.end(), v.begin(), v.end());
  }
  return all;
}

/// Runs `body` on a thread of its own, whose recorder is new.
template <class Body>
auto fresh_thread(Body body) {
  jit::initialize();
  decltype(body()) result;
  std::thread thread([&] { result = body(); });
  thread.join();
  return result;
}

Values train_in(jit::Mode mode, bool traced, tracer::RecorderStats* stats = nullptr) {
  const ModeSetting setting(mode);
  return fresh_thread([&] {
    jit::initialize();
    jit::thread_recorder().set_enabled(traced);
    const Values result = train(40);
    if (stats != nullptr) {
      *stats = jit::thread_recorder().stats();
    }
    return result;
  });
}

TEST(Recorder, TrainsToTheSameBitsInEveryMode) {
  const Values expected = train_in(jit::Mode::interpreted, false);
  tracer::RecorderStats stats;
  EXPECT_EQ(train_in(jit::Mode::interpreted, true, &stats), expected);
  EXPECT_GT(stats.matched * 10, stats.calls * 6);
  EXPECT_EQ(train_in(jit::Mode::compiled, true), expected);
  EXPECT_EQ(train_in(jit::Mode::switching, true), expected);
  EXPECT_EQ(train_in(jit::Mode::background, true), expected);
  EXPECT_EQ(jit::compile_stats().withdrawn, 0U);
}

TEST(Recorder, DoesNotWriteOperandsThatOnlyTheirCallerHolds) {
  const ModeSetting setting(jit::Mode::interpreted);
  const std::size_t live = fresh_thread([] {
    const Tensor x = floats({64}, std::vector<float>(64, 0.5F));
    for (int i = 0; i < 60; ++i) {
      const Tensor y = sum(x * x, 0);
      values(y);
    }
    std::size_t count = 0;
    for (const tracer::Segment* segment : jit::thread_recorder().segments()) {
      count += static_cast<std::size_t>(
          std::count(segment->flow.live.begin(), segment->flow.live.end(), 1));
    }
    return count;
  });
  EXPECT_EQ(live, 1U);  // the sum alone
}

TEST(Recorder, CapturesWhatSurroundsASegment) {
  const ModeSetting setting(jit::Mode::interpreted);
  const tracer::RecorderStats stats = fresh_thread([] {
    const Tensor x = floats({8}, std::vector<float>(8, 0.5F));
    const auto round = [&] {
      Tensor y = x;
      for (int i = 0; i < 24; ++i) {  // repeats within the round: a segment of its own
        y = y * 0.5;
      }
      y = tanh(exp(sin(cos(y + x) - x) / 3) * 2);
      values(sqrt(abs(y)));
    };
    for (int i = 0; i < 40; ++i) {
      round();
    }
    const tracer::RecorderStats before = jit::thread_recorder().stats();
    round();
    tracer::RecorderStats after = jit::thread_recorder().stats();
    after.calls -= before.calls;
    after.matched -= before.matched;
    return after;
  });
  EXPECT_GE(stats.matched + 2, stats.calls);
}

TEST(Recorder, AReadInTheMiddleSeesTheRightValue) {
  const ModeSetting setting(jit::Mode::interpreted);
  const bool right = fresh_thread([] {
    Tensor x = floats({4}, {1, 2, 3, 4});
    for (int i = 0; i < 60; ++i) {
      Tensor y = x * 2;
      y = y + 1;
      if (i % 7 == 3 && values(y)[3] != 9) {
        return false;
      }
      y = tanh(y) + x;
      y = y * y - x;
      add.in_place(y, 1);
      y = exp(y * 0.1);
      if (i % 11 == 5 &&
          std::abs(values(y)[0] - std::exp(0.1 * (std::pow(std::tanh(3) + 1, 2)))) > 1e-5) {
        return false;
      }
    }
    return true;
  });
  EXPECT_TRUE(right);
}

TEST(Recorder, ResultsThatAreKeptStayApart) {
  const ModeSetting setting(jit::Mode::interpreted);
  const bool right = fresh_thread([] {
    std::vector<Tensor> kept;
    for (int i = 0; i < 100; ++i) {
      kept.push_back(floats({1}, {static_cast<float>(i)}) + 1);
    }
    for (int i = 0; i < 100; ++i) {
      if (values(kept[static_cast<std::size_t>(i)])[0] != i + 1) {
        return false;
      }
    }
    return true;
  });
  EXPECT_TRUE(right);
}

TEST(Recorder, ShapesMayChangeBetweenRounds) {
  const ModeSetting setting(jit::Mode::interpreted);
  const bool right = fresh_thread([] {
    for (int i = 0; i < 80; ++i) {
      const int n = 3 + i % 5;
      const Tensor a = ones({n, 4}, Dtype::float32);
      const Tensor b = ones({4, 2}, Dtype::float32);
      Tensor c = matmul(a, b) + 1;
      c = c * c;
      c = sum(c, 0);
      c = c / static_cast<double>(n);
      const Values v = values(c);
      if (v[0] != 25 || v[1] != 25) {
        return false;
      }
    }
    return true;
  });
  EXPECT_TRUE(right);
}

TEST(Recorder, ACallMayTakeMoreTensorsThanASegmentHasCalls) {
  const ModeSetting setting(jit::Mode::interpreted);
  const Values last = fresh_thread([] {
    std::vector<Tensor> list;
    for (int i = 0; i < 5000; ++i) {
      list.push_back(floats({1}, {static_cast<float>(i)}));
    }
    Values result;
    for (int i = 0; i < 30; ++i) {
      const Tensor all = cat(list) * 0.5 + 1;
      result = values(slice(sqrt(abs(tanh(exp(sin(cos(all)))))), 0, 0, 2, 1));
    }
    return result;
  });
  EXPECT_NEAR(last[0], std::sqrt(std::tanh(std::exp(std::sin(std::cos(1.0))))), 1e-5);
}

/// Writes into `x` twelve times, in no order that repeats.
void write_often(const Tensor& x) {
  for (const int i : {0, 1, 2, 3, 1, 0, 3, 2, 3, 0, 1, 2}) {
    if (i < 2) {
      i == 0 ? add.in_place(x, 1) : mul.in_place(x, 0.5);
    } else {
      i == 2 ? sub.in_place(x, 2) : div.in_place(x, 4);
    }
  }
}

/// A result that waits in the calling thread's recorder: 2 at every place, or what follows from it.
Tensor queued_result() {
  Tensor y;
  for (int round = 0; round < 40; ++round) {
    y = ones({4}, Dtype::float32) * 2;
    for (int i = 0; i < 4; ++i) {
      y = tanh(exp(y) * 0.25) + 0.5;
    }
    if (round < 39) {
      values(y);
    }
  }
  return y;
}

TEST(Recorder, AWriteIntoWhatAnotherThreadHasQueuedIsNotLost) {
  const ModeSetting setting(jit::Mode::interpreted);
  jit::initialize();
  std::promise<Tensor> queued;
  std::promise<void> written;
  std::thread other([&] {
    const Tensor y = queued_result();
    EXPECT_NE(y.storage()->producer(), nullptr);
    queued.set_value(y);
    written.get_future().wait();
  });
  const auto [expected, got] = fresh_thread([&] {
    const Tensor alone = contiguous(floats({4}, {0, 0, 0, 0}));
    for (int round = 0; round < 40; ++round) {
      write_often(alone);
      values(alone);
    }
    const Tensor y = queued.get_future().get();
    add.in_place(y, 1);
    EXPECT_FALSE(jit::thread_recorder().idle());
    const Values result = values(y);
    jit::thread_recorder().set_enabled(false);
    return std::pair(values(queued_result() + 1), result);
  });
  written.set_value();
  other.join();
  EXPECT_EQ(got, expected);
}

/// A loop that repeats until its last round waits in the calling thread's recorder; each op of it
/// reads x, [4].
Tensor queued_reader(const Tensor& x) {
  Tensor y;
  for (int round = 0; round < 40; ++round) {
    y = x * 2;
    for (int i = 0; i < 8; ++i) {
      y = tanh(y) + x;
    }
    if (round < 39) {
      values(y);
    }
  }
  return y;
}

TEST(Recorder, AWriteDoesNotOvertakeTheReadsThatAnotherThreadHasQueued) {
  const ModeSetting setting(jit::Mode::interpreted);
  jit::initialize();
  const Tensor x = contiguous(floats({4}, {1, 2, 3, 4}));
  std::promise<Tensor> queued;
  std::promise<void> written;
  std::thread reader([&] {
    const Tensor y = queued_reader(x);
    EXPECT_NE(y.storage()->producer(), nullptr);
    queued.set_value(y);
    written.get_future().wait();
  });
  const Values got = fresh_thread([&] {
    const Tensor y = queued.get_future().get();
    add.in_place(x, 100);
    return values(y);
  });
  written.set_value();
  reader.join();
  const Values expected = fresh_thread([] {
    jit::thread_recorder().set_enabled(false);
    return values(queued_reader(floats({4}, {1, 2, 3, 4})));
  });
  EXPECT_EQ(got, expected);
  EXPECT_EQ(values(x), (Values{101, 102, 103, 104}));
}

TEST(Recorder, AResultWhoseCallFailedIsAnErrorAndNotWhatMemoryHeld) {
  const ModeSetting setting(jit::Mode::interpreted);
  fresh_thread([] {
    const Tensor y = queued_result();
    EXPECT_NE(y.storage()->producer(), nullptr);
    const std::int64_t limit = set_memory_limit(memory_stats().live);
    EXPECT_THROW(values(y), OutOfMemoryError);
    set_memory_limit(limit);
    for (int i = 0; i < 2; ++i) {
      check_error<ArgumentError>(
          [&] { values(y); },
          "tensor: it has no data: a call that was to compute it has failed; compute it again");
    }
    EXPECT_THROW(y + 1, ArgumentError);
    return values(queued_result()).size();
  });
}

TEST(Recorder, AThreadMayEndWithCallsThatFail) {
  const ModeSetting setting(jit::Mode::interpreted);
  std::int64_t limit = 0;
  const Tensor y = fresh_thread([&] {
    const Tensor queued = queued_result();
    EXPECT_NE(queued.storage()->producer(), nullptr);
    limit = set_memory_limit(memory_stats().live);
    return queued;
  });
  set_memory_limit(limit);
  check_error<ArgumentError>(
      [&] { values(y); },
      "tensor: it has no data: a call that was to compute it has failed; compute it again");
}

}  // namespace
}  // namespace rondo
