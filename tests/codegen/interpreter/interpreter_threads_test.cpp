#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "codegen/interpreter/interpreter.h"
#include "tests/support/random_kernel.h"
#include "tests/support/reference_kernel.h"

namespace rondo::codegen {
namespace {

TEST(Interpreter, RunsOneKernelInManyThreadsAtOnce) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const KernelCase kernel_case = random_kernel(seed);
    CaseRun expected(kernel_case, Schedule::rows);
    run_reference(kernel_case.kernel, expected.args());
    const InterpretedKernel kernel(kernel_case.kernel);
    std::vector<std::unique_ptr<CaseRun>> runs;
    std::vector<std::thread> threads;
    for (int n = 0; n < 4; ++n) {
      const Schedule schedule = n % 2 == 0 ? Schedule::rows : Schedule::columns;
      runs.push_back(std::make_unique<CaseRun>(kernel_case, schedule));
      threads.emplace_back(
          [&kernel, schedule, run = runs.back().get()] { kernel.run(run->args(), schedule); });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    for (const auto& run : runs) {
      EXPECT_EQ(difference(kernel_case, *run, expected), "") << "seed " << seed;
    }
  }
}

}  // namespace
}  // namespace rondo::codegen
