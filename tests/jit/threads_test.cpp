// Sessions of one module, and eager ops, on many threads at once.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/op/call.h"
#include "core/ops/all.h"
#include "jit/compile_queue.h"
#include "jit/session.h"
#include "serialize/checksum.h"
#include "tests/support/check_error.h"
#include "tests/support/on_threads.h"
#include "tests/support/settings.h"
#include "tests/support/small_archive.h"
#include "tests/support/tensors.h"

namespace rondo::jit {
namespace {

using test::floats;
using test::values;
using Values = std::vector<double>;

/// What `body(n)` gives on threads n = 0 ... 3 that run at the same time.
template <class Body>
std::vector<Values> results_together(const Body& body) {
  std::vector<Values> results(4);
  on_threads(4, [&](int n) { results[static_cast<std::size_t>(n)] = body(n); });
  wait_for_compiles();
  return results;
}

Tensor input(int n) {
  return floats({2, 3}, {0.1F * static_cast<float>(n), 1, -1, 0.5F, 2, static_cast<float>(n)});
}

TEST(Session, SessionsOfOneModuleRunOnManyThreads) {
  const auto module = test::small_module();
  const std::vector<Values> together = results_together([&module](int n) {
    Session session(module);
    Values last;
    for (int i = 0; i < 20; ++i) {
      last = values(session.run("forward", {input(n)})[0]);
    }
    return last;
  });
  for (int n = 0; n < 4; ++n) {
    Session alone(module);
    EXPECT_EQ(together[static_cast<std::size_t>(n)], values(alone.run("forward", {input(n)})[0]));
  }
}

#ifdef RONDO_SLOW_BUILD
constexpr int kCalls = 200;
#else
constexpr int kCalls = 10'000;
#endif

/// A checksum over the bits of all results of a session with this seed.
std::uint64_t many_calls(const std::shared_ptr<const Module>& module, int seed) {
  Session session(module);
  session.set_seed(seed);
  std::uint64_t sum = 0;
  for (int i = 0; i < kCalls; ++i) {
    const std::int64_t rows = 1 + i % 3;
    std::vector<float> x;
    for (std::int64_t n = 0; n < rows * 8; ++n) {
      x.push_back(static_cast<float>((i + n * 7) % 31 - 15) / 8);
    }
    const Tensor y = session.run("forward", {floats({rows, 8}, x)})[0];
    const serialize::Hash128 hash = serialize::hash128(
        {contiguous(y).data(), static_cast<std::size_t>(rows) * 8 * sizeof(float)}, sum);
    sum = hash.low;
  }
  return sum;
}

TEST(Session, EightThreadsWithTenThousandCallsEachThroughTheSwitchGiveTheBitsOfOne) {
  const auto module = test::random_module();
  std::vector<std::uint64_t> together(8);
  on_threads(8, [&](int n) { together[static_cast<std::size_t>(n)] = many_calls(module, n % 4); });
  {
    const ModeSetting setting(Mode::interpreted);
    for (int seed = 0; seed < 4; ++seed) {
      const std::uint64_t alone = many_calls(module, seed);
      EXPECT_EQ(together[static_cast<std::size_t>(seed)], alone);
      EXPECT_EQ(together[static_cast<std::size_t>(seed) + 4], alone);
    }
  }
  wait_for_compiles();
  EXPECT_NE(together[0], together[1]);
}

TEST(Session, UsedFromTwoThreadsAtOnceIsAnErrorAndNoRace) {
  Session session(test::load_module(test::slow_archive()));
  const auto x = [](std::int64_t rows) {
    return floats({rows, test::kSlowWidth},
                  std::vector<float>(static_cast<std::size_t>(rows * test::kSlowWidth), 1.0F));
  };
  std::atomic<bool> begun{false};
  RunOptions options;
  options.abandoned = [&begun] {
    begun = true;
    return false;
  };
  std::thread other([&] { session.run("forward", {x(256)}, options); });
  while (!begun) {
    std::this_thread::yield();
  }
  check_error<ArgumentError>(
      [&] { session.run("forward", {x(1)}); },
      "run: the session is running in another thread; give each thread a session of its own");
  check_error<ArgumentError>(
      [&] { session.parameters(); },
      "parameters: the session is running in another thread; give each thread a session of its "
      "own");
  serialize::MemorySink sink;
  check_error<ArgumentError>(
      [&] { session.save(sink); },
      "save: the session is running in another thread; give each thread a session of its own");
  other.join();
  EXPECT_EQ(session.run("forward", {x(1)})[0].shape(), (Shape{1, test::kSlowWidth}));
}

TEST(EagerExecutor, ThreadsUseTheSameKernelsAndReadTheSameTensors) {
  const Tensor shared = floats({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const auto steps = [&shared](int n) {
    Tensor x = input(n);
    for (int i = 0; i < 20; ++i) {
      x = softmax(tanh(matmul(x, shared)) + sum(shared, 0), 1);
    }
    return values(x);
  };
  const std::vector<Values> together = results_together(steps);
  for (int n = 0; n < 4; ++n) {
    EXPECT_EQ(together[static_cast<std::size_t>(n)], steps(n));
  }
}

}  // namespace
}  // namespace rondo::jit
