#include <gtest/gtest.h>

#include "codegen/interpreter/interpreter.h"
#include "tests/support/on_threads.h"
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
    on_threads(4, [&](int n) {
      const Schedule schedule = n % 2 == 0 ? Schedule::rows : Schedule::columns;
      CaseRun run(kernel_case, schedule);
      kernel.run(run.args(), schedule);
      EXPECT_EQ(difference(kernel_case, run, expected), "") << "seed " << seed;
    });
  }
}

}  // namespace
}  // namespace rondo::codegen
