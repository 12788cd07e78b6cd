// The C ABI through its C++ wrapper, on an archive that the test exports.
#include <gtest/gtest.h>

#include <rondo/rondo.hpp>

#include "tests/bindings/c/loaded.h"
#include "tests/support/check_api_error.h"
#include "tests/support/on_threads.h"
#include "tests/support/small_archive.h"

namespace rondo {
namespace {

api::Module loaded() {
  return test::loaded(test::small_archive());
}

TEST(Api, TellsTheVersionAndTheSizesOfItsStructs) {
  EXPECT_EQ(rondo_version(), 1000U);
  EXPECT_STREQ(rondo_version_text(), "0.1.0");
  EXPECT_EQ(rondo_sizeof_tensor(), sizeof(rondo_tensor));
  EXPECT_EQ(rondo_sizeof_value_info(), sizeof(rondo_value_info));
  EXPECT_STREQ(rondo_dtype_name(RONDO_BFLOAT16), "bfloat16");
  EXPECT_EQ(rondo_dtype_name(10), nullptr);
  EXPECT_EQ(rondo_dtype_size(RONDO_FLOAT64), 8U);
}

TEST(Api, ListsMethodsInputsAndOutputs) {
  const api::Module module = loaded();
  EXPECT_EQ(module.methods(), std::vector<std::string>{"forward"});
  ASSERT_EQ(module.inputs().size(), 1U);
  EXPECT_EQ(module.inputs()[0].name, "x");
  EXPECT_EQ(module.inputs()[0].dtype, RONDO_FLOAT32);
  EXPECT_EQ(module.inputs()[0].shape, "[batch, 3]");
  EXPECT_EQ(module.outputs()[0].shape, "[batch, 2]");
  check_api_error(RONDO_ARGUMENT_ERROR, "ArgumentError",
                  "run: there is no method 'encode'; the archive has forward",
                  [&] { module.inputs("encode"); });
}

TEST(Api, RunsOnMemoryOfTheCallerAndGivesOutputsOfItsOwn) {
  std::vector<float> x{1, 0, -1, 0.5F, 0.25F, 0};
  std::vector<api::Output> outputs;
  {
    const api::Module module = loaded();
    api::Session session(module);
    outputs = session.run({{{2, 3}, x}});
  }
  x.assign(6, 0.0F);
  EXPECT_EQ(outputs[0].shape(), (std::vector<std::int64_t>{2, 2}));
  EXPECT_EQ(outputs[0].to_vector<float>(), (std::vector<float>{0, 0, 1.75F, 1.5F}));
}

TEST(Api, ReadsInputsWithStrides) {
  const std::vector<float> transposed{1, 0.5F, 0, 0.25F, -1, 0};
  api::Session session(loaded());
  const auto outputs = session.run({{{2, 3}, RONDO_FLOAT32, transposed.data(), {1, 2}}});
  EXPECT_EQ(outputs[0].to_vector<float>(), (std::vector<float>{0, 0, 1.75F, 1.5F}));
}

TEST(Api, ErrorsCarryCodeKindAndTheTextOfPython) {
  api::Session session(loaded());
  const std::vector<float> x(8);
  check_api_error(
      RONDO_SHAPE_ERROR, "ShapeError",
      "forward: input 'x' is invalid: expected [batch, 3] of float32, got [2, 4] of float32",
      [&] { session.run({{{2, 4}, x}}); });
  check_api_error(RONDO_SHAPE_ERROR, "ShapeError",
                  "run: input 0: shape [-2, 4] has a negative size",
                  [&] { session.run({{{-2, 4}, RONDO_FLOAT32, x.data()}}); });
  check_api_error(RONDO_ARGUMENT_ERROR, "ArgumentError", "run: input 0: data is NULL",
                  [&] { session.run({{{2, 3}, RONDO_FLOAT32, nullptr}}); });
  check_api_error(RONDO_ARGUMENT_ERROR, "ArgumentError",
                  "run: input 0: strides [-3, 1] must not be negative",
                  [&] { session.run({{{2, 3}, RONDO_FLOAT32, x.data(), {-3, 1}}}); });
  check_api_error(RONDO_DTYPE_ERROR, "DtypeError",
                  "output: its elements are float32; asked for int64",
                  [&] { session.run({{{1, 3}, std::vector<float>(3)}})[0].data<std::int64_t>(); });
}

TEST(Api, ReleasesBytesThatAreNoArchive) {
  int released = 0;
  const char bytes[] = "no archive";
  rondo_error* error = nullptr;
  const auto release = [](void* context) { ++*static_cast<int*>(context); };
  EXPECT_EQ(rondo_module_load_bytes(bytes, sizeof(bytes), release, &released, &error), nullptr);
  EXPECT_EQ(rondo_error_code(error), RONDO_FORMAT_ERROR);
  EXPECT_EQ(released, 1);
  rondo_error_free(error);
}

TEST(Api, LogsWhatItLoadsAndEveryError) {
  std::vector<std::string> lines;
  rondo_set_log(
      [](void* context, std::int32_t level, const char* text) {
        static_cast<std::vector<std::string>*>(context)->push_back(std::to_string(level) + text);
      },
      &lines);
  EXPECT_EQ(rondo_session_create(nullptr, nullptr), nullptr);
  loaded();
  rondo_set_log(nullptr, nullptr);
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0], "1ArgumentError: rondo_session_create: module is NULL");
  EXPECT_EQ(lines[1],
            "0loaded " + std::to_string(test::small_archive().size()) + " bytes of memory");
}

TEST(Api, AModuleServesSessionsOnManyThreads) {
  const api::Module module = loaded();
  std::vector<std::vector<float>> results(4);
  on_threads(4, [&](int n) {
    api::Session session(module);
    const std::vector<float> x{0.5F, 0.25F, 0};
    for (int i = 0; i < 50; ++i) {
      results[static_cast<std::size_t>(n)] = session.run({{{1, 3}, x}})[0].to_vector<float>();
    }
  });
  for (const std::vector<float>& result : results) {
    EXPECT_EQ(result, (std::vector<float>{1.75F, 1.5F}));
  }
}

}  // namespace
}  // namespace rondo
