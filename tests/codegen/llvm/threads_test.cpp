#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <thread>

#include "tests/codegen/llvm/compiled.h"
#include "tests/support/on_threads.h"
#include "tests/support/random_kernel.h"
#include "tests/support/reference_kernel.h"

namespace rondo::codegen {
namespace {

bool is_right(const KernelCase& kernel_case, const LoadedCode& loaded) {
  CaseRun expected(kernel_case, Schedule::rows);
  run_reference(kernel_case.kernel, expected.args());
  CaseRun got(kernel_case, Schedule::rows);
  loaded.function()(&got.args());
  return difference(kernel_case, got, expected).empty();
}

std::unique_ptr<LoadedCode> compile_case(const KernelCase& kernel_case) {
  return compile_and_load(kernel_case.kernel, variant_of(kernel_case, Schedule::rows),
                          current_isa());
}

TEST(LlvmThreads, CompileManyKernelsAtOnce) {
  constexpr std::uint64_t kKernels = 200;
  std::atomic<std::uint64_t> next = 0;
  std::atomic<int> right = 0;
  on_threads(4, [&](int) {
    for (std::uint64_t k = next++; k < kKernels; k = next++) {
      const KernelCase kernel_case = random_kernel(1000 + k);
      right += is_right(kernel_case, *compile_case(kernel_case)) ? 1 : 0;
    }
  });
  EXPECT_EQ(right, static_cast<int>(kKernels));
}

TEST(LlvmThreads, RunInAForkedChildWhatTheParentCompiled) {
  const KernelCase kernel_case = random_kernel(7);
  const std::unique_ptr<LoadedCode> loaded = compile_case(kernel_case);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    _exit(is_right(kernel_case, *loaded) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_TRUE(is_right(kernel_case, *compile_case(kernel_case)));
}

/// What is registered before the plug-in is opened runs after its own destructors, if it has any.
TEST(LlvmThreads, MayCompileWhileTheProcessExits) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto exit_while_compiling = [] {
    std::atexit([] { std::this_thread::sleep_for(std::chrono::milliseconds(200)); });
    static std::atomic<int> compiled = 0;
    std::thread([] {
      for (;; ++compiled) {
        compile_case(random_kernel(7));
      }
    }).detach();
    while (compiled == 0) {
      std::this_thread::yield();
    }
    std::exit(0);
  };
  EXPECT_EXIT(exit_while_compiling(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace rondo::codegen
