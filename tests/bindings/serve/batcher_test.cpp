#include "bindings/serve/batcher.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <future>

#include "tests/support/check_error.h"
#include "tests/support/small_archive.h"
#include "tests/support/tensors.h"

namespace rondo::serve {
namespace {

using test::floats;
using test::values;

std::future<Answer> start(Batcher& batcher, const Tensor& input, const Patience& patience = {}) {
  return std::async(std::launch::async, [&batcher, input, patience] {
    return batcher.run("forward", {input}, patience);
  });
}

/// Options under which `count` requests wait for each other.
BatchOptions together(std::int64_t rows) {
  BatchOptions options;
  options.max_batch = rows;
  options.max_delay = std::chrono::seconds(20);
  return options;
}

Tensor index(std::int64_t value) {
  const Tensor tensor = Tensor::empty({1}, Dtype::int64);
  std::memcpy(tensor.data(), &value, 8);
  return tensor;
}

TEST(Batcher, JoinsRequestsAndGivesEachTheBitsItHadAlone) {
  Metrics metrics;
  metrics.active = 3;
  Batcher batcher(test::small_module(), together(4), metrics);
  const Tensor a = floats({1, 3}, {1, 2, 3});
  const Tensor b = floats({2, 3}, {-1, 0.5F, 0.1F, 7, 8, 9});
  const Tensor c = floats({1, 3}, {0.3F, 0.2F, 0.1F});
  std::vector<std::future<Answer>> together;
  for (const Tensor& x : {a, b, c}) {
    together.push_back(start(batcher, x));
  }
  Metrics others;
  Batcher alone(test::small_module(), BatchOptions{}, others);
  const std::vector<Tensor> inputs{a, b, c};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Answer answer = together[i].get();
    ASSERT_EQ(answer.outcome, Answer::Outcome::done) << answer.text;
    EXPECT_EQ(answer.outputs[0].shape(), (Shape{inputs[i].size(0), 2}));
    EXPECT_EQ(values(answer.outputs[0]), values(alone.run("forward", {inputs[i]}).outputs[0]));
  }
  EXPECT_NE(metrics.print().find("rondo_batch_rows_count 1\n"), std::string::npos);
}

TEST(Batcher, RunsAloneWhatMixesRows) {
  Metrics metrics;
  metrics.active = 2;
  Batcher batcher(test::mixing_module(), together(2), metrics);
  const Tensor x = floats({1, 3}, {1, 2, 4});
  auto first = start(batcher, x);
  auto second = start(batcher, x);
  EXPECT_EQ(values(first.get().outputs[0]), (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(values(second.get().outputs[0]), (std::vector<double>{1, 1, 1}));
}

TEST(Batcher, RequestsOfOtherSizesAreNotJoined) {
  Metrics metrics;
  metrics.active = 3;
  BatchOptions options = together(2);
  options.max_delay = std::chrono::milliseconds(200);
  Batcher batcher(test::doubling_module(), options, metrics);
  auto three = start(batcher, floats({1, 3}, {1, 2, 3}));
  auto two = start(batcher, floats({1, 2}, {4, 5}));
  EXPECT_EQ(values(three.get().outputs[0]), (std::vector<double>{2, 4, 6}));
  EXPECT_EQ(values(two.get().outputs[0]), (std::vector<double>{8, 10}));
  EXPECT_NE(metrics.print().find("rondo_batch_rows_count 2\n"), std::string::npos);
}

TEST(Batcher, ARequestWhoseClientHasGoneIsGivenUp) {
  Metrics metrics;
  metrics.active = 100;  // so that it waits for others
  Batcher batcher(test::small_module(), together(2), metrics);
  std::atomic<int> asked{0};
  const Answer answer =
      batcher.run("forward", {floats({1, 3}, {1, 2, 3})}, {{}, [&] { return ++asked == 3; }});
  EXPECT_EQ(answer.outcome, Answer::Outcome::gone);
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(metrics.ended, 1);
}

TEST(Batcher, ABadRequestDoesNotFailItsNeighbours) {
  Metrics metrics;
  metrics.active = 2;
  Batcher batcher(test::table_module(), together(2), metrics);
  auto good = start(batcher, index(2));
  auto bad = start(batcher, index(9));
  EXPECT_EQ(values(good.get().outputs[0]), (std::vector<double>{20, 21}));
  const Answer answer = bad.get();
  EXPECT_EQ(answer.outcome, Answer::Outcome::failed);
  EXPECT_EQ(answer.kind, ErrorKind::index);
}

TEST(Batcher, ChecksInputsBeforeTheyAreQueued) {
  Metrics metrics;
  Batcher batcher(test::small_module(), BatchOptions{}, metrics);
  check_error<ShapeError>(
      [&] { batcher.run("forward", {floats({1, 2}, {1, 2})}); },
      "forward: input 'x' is invalid: expected [batch, 3] of float32, got [1, 2] of float32");
}

TEST(Batcher, TellsAFullQueueAPassedDeadlineAndAStop) {
  Metrics metrics;
  metrics.active = 100;  // so that the first request waits for others
  BatchOptions options = together(2);
  options.queue = 1;
  options.max_delay = std::chrono::hours(1);
  Batcher batcher(test::small_module(), options, metrics);
  const Tensor wide = floats({5, 3}, std::vector<float>(15, 1.0F));
  const Tensor row = floats({1, 3}, {1, 2, 3});
  std::atomic<bool> asked{false};  // once the first request has been queued
  auto first = start(batcher, row, {{}, [&asked] {
                                      asked = true;
                                      return false;
                                    }});
  while (!asked || metrics.queued != 0) {  // until the worker holds it
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const Answer late = batcher.run("forward", {wide}, {Batcher::Clock::now()});
  EXPECT_EQ(late.outcome, Answer::Outcome::late);
  EXPECT_EQ(late.text, "infer: the deadline has passed");
  EXPECT_EQ(metrics.queued, 1);  // too wide to run with the first one, it stays behind
  const Answer full = batcher.run("forward", {row});
  EXPECT_EQ(full.outcome, Answer::Outcome::full);
  EXPECT_EQ(full.text, "infer: the queue is full: 1 requests wait; try again later");
  batcher.stop();
  EXPECT_EQ(batcher.run("forward", {row}).outcome, Answer::Outcome::stopped);
  EXPECT_EQ(first.get().outcome, Answer::Outcome::done);
}

}  // namespace
}  // namespace rondo::serve
