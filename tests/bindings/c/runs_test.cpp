// Runs through the C ABI that end early, or may only take so much; batches; weights that are
// copied.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <rondo/rondo.hpp>
#include <thread>

#include "tests/bindings/c/loaded.h"
#include "tests/support/check_api_error.h"
#include "tests/support/small_archive.h"
#include "tests/support/temporary_folder.h"

namespace rondo {
namespace {

std::vector<float> ones(std::int64_t rows) {
  return std::vector<float>(static_cast<std::size_t>(rows * test::kSlowWidth), 1.0F);
}

TEST(Runs, AreCancelledFromAnotherThread) {
  api::Session session(test::loaded(test::slow_archive()));
  constexpr std::int64_t kRows = 4096;
  const std::vector<float> x = ones(kRows);
  std::atomic<bool> ended{false};
  std::thread other([&] {
    while (!ended) {  // a run that has not begun takes no notice
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      session.cancel();
    }
  });
  check_api_error(RONDO_CANCELLED_ERROR, "CancelledError", "run: 'forward' was cancelled",
                  [&] { session.run({{{kRows, test::kSlowWidth}, x}}); });
  ended = true;
  other.join();
  EXPECT_EQ(session.run({{{1, test::kSlowWidth}, ones(1)}})[0].to_vector<float>(), ones(1));
}

TEST(Runs, HaveADeadlineThatIsAnErrorOfItsOwn) {
  api::Session session(test::loaded(test::slow_archive()));
  constexpr std::int64_t kRows = 4096;
  const std::vector<float> x = ones(kRows);
  check_api_error(RONDO_DEADLINE_ERROR, "DeadlineError",
                  "run: 'forward' was ended: its deadline has passed",
                  [&] { session.run("forward", {{{kRows, test::kSlowWidth}, x}}, 0.05); });
}

TEST(Runs, AboveTheLimitOfWorkAreRefusedBeforeTheOpThatExceedsIt) {
  api::Session session(test::loaded(test::small_archive()));
  const std::vector<float> x(3, 1.0F);
  check_api_error(RONDO_UNSUPPORTED_ERROR, "UnsupportedError",
                  "matmul: the run has done 106 units of work; its limit is 50",
                  [&] { session.run("forward", {{{1, 3}, x}}, 0, 50); });
  EXPECT_EQ(session.run("forward", {{{1, 3}, x}}, 0, 1e6).size(), 1U);
  check_api_error(RONDO_ARGUMENT_ERROR, "ArgumentError",
                  "run: max_work is -1; it must not be negative",
                  [&] { session.run("forward", {{{1, 3}, x}}, 0, -1); });
}

TEST(Runs, TakeTheOptionsOfOlderPrograms) {
  api::Session session(test::loaded(test::small_archive()));
  const std::vector<float> x(3, 1.0F);
  const api::Input input({1, 3}, x);
  const rondo_tensor tensor = input.tensor();
  // What follows the fields that the program knows is not its own.
  rondo_run_options options{offsetof(rondo_run_options, max_work), 10, 50};
  rondo_outputs* outputs = nullptr;
  EXPECT_EQ(
      rondo_session_run_with(session.handle(), "forward", &tensor, 1, &options, &outputs, nullptr),
      RONDO_OK);
  rondo_outputs_free(outputs);
  options.struct_size = 8;
  EXPECT_EQ(
      rondo_session_run_with(session.handle(), "forward", &tensor, 1, &options, &outputs, nullptr),
      RONDO_ARGUMENT_ERROR);
}

TEST(Runs, AboveTheMemoryLimitAreAnErrorOfTheirOwn) {
  api::Session session(test::loaded(test::slow_archive()));
  const std::vector<float> x = ones(1024);
  const std::int64_t before = rondo_set_memory_limit(rondo_memory_in_use() + 10'000);
  EXPECT_EQ(before, 0);
  try {
    session.run({{{1024, test::kSlowWidth}, x}});
    ADD_FAILURE() << "it ran";
  } catch (const api::Error& error) {
    EXPECT_EQ(error.code(), RONDO_OUT_OF_MEMORY_ERROR) << error.what();
  }
  EXPECT_GT(rondo_set_memory_limit(0), 0);
  EXPECT_EQ(session.run({{{1024, test::kSlowWidth}, x}}).size(), 1U);
}

/// Rows of 3 features that differ.
std::vector<float> features(std::int64_t rows) {
  std::vector<float> x;
  for (std::int64_t i = 0; i < rows * 3; ++i) {
    x.push_back(static_cast<float>(i * 29 % 101 - 50) / 7);
  }
  return x;
}

TEST(Runs, BatchesOf2And7And64GiveEachRowTheBitsItHasAlone) {
  api::Session session(api::Module::load(RONDO_GOLDEN "/v1/fine_tune.rondo"));
  constexpr std::int64_t kRows = 64;
  const std::vector<float> x = features(kRows);
  std::vector<float> alone;
  for (std::int64_t row = 0; row < kRows; ++row) {
    const auto outputs = session.run({{{1, 3}, RONDO_FLOAT32, x.data() + row * 3}});
    const std::vector<float> y = outputs[0].to_vector<float>();
    alone.insert(alone.end(), y.begin(), y.end());
  }
  for (const std::int64_t batch : {2, 7, 64}) {
    for (std::int64_t row = 0; row + batch <= kRows; row += batch) {
      const auto outputs = session.run({{{batch, 3}, RONDO_FLOAT32, x.data() + row * 3}});
      ASSERT_EQ(outputs[0].size(), static_cast<std::size_t>(batch * 2));
      EXPECT_EQ(std::memcmp(outputs[0].bytes(), alone.data() + row * 2,
                            outputs[0].size() * sizeof(float)),
                0)
          << "rows " << row << " to " << row + batch;
    }
  }
}

TEST(Runs, CopiedWeightsOutliveAFileThatIsOverwrittenInPlace) {
  const TemporaryFolder folder;
  const std::string path = folder.write("small.rondo", test::small_archive());
  api::Session session(api::Module::load(path, true));
  std::filesystem::resize_file(path, 0);
  const std::vector<float> x{0.5F, 0.25F, 0};
  EXPECT_EQ(session.run({{{1, 3}, x}})[0].to_vector<float>(), (std::vector<float>{1.75F, 1.5F}));
}

TEST(Runs, ReadABufferThatIsFilledAgainAtEachCall) {
  api::Session session(test::loaded(test::small_archive()));
  std::vector<float> x{0.5F, 0.25F, 0};
  std::vector<api::Output> all;
  for (int i = 0; i < 50; ++i) {
    x = {0.5F * static_cast<float>(i), 0.25F, 0};
    all.push_back(session.run({{{1, 3}, x}})[0]);
  }
  for (int i = 0; i < 50; ++i) {
    const float first = 0.5F * static_cast<float>(i) + 1.25F;
    EXPECT_EQ(all[static_cast<std::size_t>(i)].to_vector<float>()[0], first);
  }
}

}  // namespace
}  // namespace rondo
