// Sessions of one module, and eager ops, on many threads at once.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "core/ops/all.h"
#include "jit/compile_queue.h"
#include "jit/session.h"
#include "tests/support/small_archive.h"
#include "tests/support/tensors.h"

namespace rondo::jit {
namespace {

using test::floats;
using test::values;
using Values = std::vector<double>;

/// What `body(n)` gives on threads n = 0 ... 3 that run at the same time.
template <class Body>
std::vector<Values> on_threads(const Body& body) {
  std::vector<Values> results(4);
  std::vector<std::thread> threads;
  for (int n = 0; n < 4; ++n) {
    threads.emplace_back([&, n] { results[static_cast<std::size_t>(n)] = body(n); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  wait_for_compiles();
  return results;
}

Tensor input(int n) {
  return floats({2, 3}, {0.1F * static_cast<float>(n), 1, -1, 0.5F, 2, static_cast<float>(n)});
}

TEST(Session, SessionsOfOneModuleRunOnManyThreads) {
  const auto module = test::small_module();
  const std::vector<Values> together = on_threads([&module](int n) {
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

TEST(EagerExecutor, ThreadsUseTheSameKernelsAndReadTheSameTensors) {
  const Tensor shared = floats({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  const auto steps = [&shared](int n) {
    Tensor x = input(n);
    for (int i = 0; i < 20; ++i) {
      x = softmax(tanh(matmul(x, shared)) + sum(shared, 0), 1);
    }
    return values(x);
  };
  const std::vector<Values> together = on_threads(steps);
  for (int n = 0; n < 4; ++n) {
    EXPECT_EQ(together[static_cast<std::size_t>(n)], steps(n));
  }
}

}  // namespace
}  // namespace rondo::jit
