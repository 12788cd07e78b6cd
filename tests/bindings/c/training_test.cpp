// Training through the C ABI: the bits are those of Python, which wrote the golden archives.
#include <gtest/gtest.h>

#include <rondo/rondo.hpp>

#include "tests/support/check_api_error.h"
#include "tests/support/temporary_folder.h"

namespace rondo {
namespace {

const std::string kFolder = RONDO_GOLDEN "/v1/";

/// The batch of tests/golden/make.py.
std::vector<api::Input> batch() {
  static std::vector<float> x;
  static std::vector<std::int64_t> target;
  x.clear();
  target.clear();
  for (int i = 0; i < 24; ++i) {
    x.push_back(static_cast<float>(i * 7 % 11 - 5) / 4);
  }
  for (int i = 0; i < 8; ++i) {
    target.push_back(i % 2);
  }
  return {{{8, 3}, x}, {{8}, target}};
}

void train(api::Session& session, api::Optimizer optimizer) {
  session.train();
  for (int step = 0; step < 10; ++step) {
    session.zero_gradients();
    session.backward(session.run("loss", batch())[0]);
    optimizer.step();
  }
}

void expect_same_tensors(const api::Session& session, const api::Session& expected) {
  for (const api::TensorInfo& info : expected.tensors()) {
    EXPECT_EQ(session.tensor<float>(info.name), expected.tensor<float>(info.name)) << info.name;
  }
}

TEST(Training, TenStepsOfAdamGiveTheBitsOfPython) {
  const auto module = api::Module::load(kFolder + "fine_tune.rondo");
  api::Session session(module);
  rondo_adam_options options = RONDO_ADAM_DEFAULTS;
  options.lr = 0.05;
  options.weight_decay = 0.01;
  train(session, api::Optimizer(session, options));
  const api::Session expected(api::Module::load(kFolder + "fine_tuned_adam.rondo"));
  expect_same_tensors(session, expected);
  const api::Session other(module);
  EXPECT_NE(session.tensor<float>("out.bias"), other.tensor<float>("out.bias"));
}

TEST(Training, TenStepsOfSgdGiveTheBitsOfPython) {
  api::Session session(api::Module::load(kFolder + "fine_tune.rondo"));
  rondo_sgd_options options = RONDO_SGD_DEFAULTS;
  options.lr = 0.1;
  options.momentum = 0.9;
  options.dampening = 0.1;
  train(session, api::Optimizer(session, options));
  expect_same_tensors(session, api::Session(api::Module::load(kFolder + "fine_tuned_sgd.rondo")));
}

TEST(Training, AFineTunedArchiveIsTheFileThatPythonWrites) {
  api::Session session(api::Module::load(kFolder + "fine_tune.rondo"));
  rondo_adam_options options = RONDO_ADAM_DEFAULTS;
  options.lr = 0.05;
  options.weight_decay = 0.01;
  train(session, api::Optimizer(session, options));
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "fine_tuned.rondo").string();
  session.save(path);
  const std::string expected = read_text(kFolder + "fine_tuned_adam.rondo");
  EXPECT_FALSE(expected.empty());
  EXPECT_EQ(read_text(path), expected);
}

TEST(Training, TensorsAreListedReadAndSet) {
  api::Session session(api::Module::load(kFolder + "fine_tune.rondo"));
  const std::vector<api::TensorInfo> tensors = session.tensors();
  ASSERT_EQ(tensors.size(), 4U);
  EXPECT_EQ(tensors[3].name, "out.bias");
  EXPECT_EQ(tensors[3].role, RONDO_PARAMETER);
  EXPECT_TRUE(tensors[3].trainable);
  EXPECT_EQ(tensors[3].shape, std::vector<std::int64_t>{2});
  const std::vector<float> bias{0.5F, -0.25F};
  session.set_tensor("out.bias", {{2}, bias});
  EXPECT_EQ(session.tensor<float>("out.bias"), bias);
  check_api_error(RONDO_SHAPE_ERROR, "ShapeError",
                  "set_tensor: 'out.bias' has shape [2]; got [1, 2]",
                  [&] { session.set_tensor("out.bias", {{1, 2}, bias}); });
  check_api_error(RONDO_ARGUMENT_ERROR, "ArgumentError",
                  "rondo_session_get_tensor: there is no tensor 'in.bias'",
                  [&] { session.tensor<float>("in.bias"); });
}

TEST(Training, GradientsAreAddedUpAndForgotten) {
  api::Session session(api::Module::load(kFolder + "fine_tune.rondo"));
  session.train();
  check_api_error(RONDO_ARGUMENT_ERROR, "ArgumentError",
                  "rondo_session_get_gradient: 'out.bias' has no gradient",
                  [&] { session.gradient<float>("out.bias"); });
  session.backward(session.run("loss", batch())[0]);
  const std::vector<float> once = session.gradient<float>("out.bias");
  session.backward(session.run("loss", batch())[0]);
  EXPECT_EQ(session.gradient<float>("out.bias"), (std::vector<float>{2 * once[0], 2 * once[1]}));
  session.zero_gradients();
  check_api_error(RONDO_ARGUMENT_ERROR, "ArgumentError",
                  "rondo_session_get_gradient: 'out.bias' has no gradient",
                  [&] { session.gradient<float>("out.bias"); });
}

TEST(Training, WhatWasNotRecordedHasNoGradients) {
  api::Session session(api::Module::load(kFolder + "fine_tune.rondo"));
  const auto outputs = session.run("loss", batch());
  check_api_error(RONDO_ARGUMENT_ERROR, "ArgumentError",
                  "rondo_session_backward: output 0 depends on nothing that can be trained, or its "
                  "run was not in train mode",
                  [&] { session.backward(outputs[0]); });
}

TEST(Runs, ASeedGivesTheSameNumbersInEverySession) {
  const auto module = api::Module::load(kFolder + "random.rondo");
  api::Session first(module);
  api::Session second(module);
  const std::vector<float> x(16, 1.0F);
  const auto draw = [&](api::Session& session) {
    return session.run({{{16}, x}})[0].to_vector<float>();
  };
  first.set_seed(3);
  const std::vector<float> drawn = draw(first);
  EXPECT_NE(draw(first), drawn);
  EXPECT_NE(draw(second), drawn);
  second.set_seed(3);
  EXPECT_EQ(draw(second), drawn);
}

TEST(Runs, EndWithAnErrorOfTheirOwnWhenTheyLastTooLong) {
  api::Session session(api::Module::load(kFolder + "fine_tune.rondo"));
  check_api_error(RONDO_DEADLINE_ERROR, "DeadlineError",
                  "run: 'loss' was ended: its deadline has passed",
                  [&] { session.run("loss", batch(), 1e-9); });
  check_api_error(RONDO_ARGUMENT_ERROR, "ArgumentError",
                  "run: timeout_seconds is -1; it must not be negative",
                  [&] { session.run("loss", batch(), -1); });
  session.cancel();  // nothing runs
  EXPECT_EQ(session.run("loss", batch(), 60).size(), 1U);
}

TEST(Training, OptimizersCheckTheirNumbers) {
  api::Session session(api::Module::load(kFolder + "fine_tune.rondo"));
  rondo_sgd_options options = RONDO_SGD_DEFAULTS;
  options.lr = -1;
  check_api_error(RONDO_ARGUMENT_ERROR, "ArgumentError",
                  "optimizer: lr is -1; it must not be negative",
                  [&] { api::Optimizer(session, options); });
  options = RONDO_SGD_DEFAULTS;
  options.struct_size = 8;
  check_api_error(RONDO_ARGUMENT_ERROR, "ArgumentError",
                  "rondo_sgd_create: struct_size is 8; expected sizeof(rondo_sgd_options), " +
                      std::to_string(sizeof(rondo_sgd_options)),
                  [&] { api::Optimizer(session, options); });
  EXPECT_EQ(rondo_optimizer_step(nullptr, nullptr), RONDO_ARGUMENT_ERROR);
}

}  // namespace
}  // namespace rondo
