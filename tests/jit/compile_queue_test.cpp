#include "jit/compile_queue.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <stdexcept>
#include <vector>

#include "codegen/plugin.h"
#include "tests/support/on_threads.h"
#include "tests/support/random_kernel.h"

namespace rondo::jit {
namespace {

constexpr int kThreads = 4;

TEST(CompileQueue, RunsWhatManyThreadsSubmitOneJobAfterTheOther) {
  std::int64_t sum = 0;  // of the worker alone
  std::atomic<int> refused = 0;
  on_threads(kThreads, [&](int n) {
    for (int i = 0; i < 100; ++i) {
      const Priority priority = i % 2 == 0 ? Priority::lowering : Priority::compiling;
      refused += submit(priority, [&sum, n] { sum += n; }) ? 0 : 1;
    }
  });
  wait_for_compiles();
  EXPECT_EQ(refused, 0);
  EXPECT_EQ(sum, 100 * (0 + 1 + 2 + 3));
}

TEST(CompileQueue, GoesOnAfterAJobThatThrows) {
  bool ran = false;
  submit(Priority::compiling, [] { throw std::runtime_error("on purpose"); });
  submit(Priority::compiling, [&ran] { ran = true; });
  wait_for_compiles();
  EXPECT_TRUE(ran);
}

TEST(CompileQueue, AForkedChildNeitherQueuesNorWaits) {
  std::promise<void> forked;
  submit(Priority::compiling, [&] { forked.get_future().wait(); });
  submit(Priority::compiling, [] {});
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);  // ends the child if it hangs
    const bool queued = submit(Priority::compiling, [] {});
    wait_for_compiles();
    _exit(queued ? 1 : 0);
  }
  forked.set_value();
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  wait_for_compiles();
}

TEST(KernelCache, GivesAllThreadsTheSameKernelAndItIsRequestedOnce) {
  std::vector<std::vector<KernelEntry*>> found(kThreads);
  on_threads(kThreads, [&found](int n) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const codegen::KernelCase kernel_case = codegen::random_kernel(seed);
      const codegen::Variant variant = codegen::variant_of(kernel_case, codegen::Schedule::rows);
      KernelEntry& entry = KernelCache::instance().find(kernel_case.kernel, variant);
      request_compile(entry);
      found[static_cast<std::size_t>(n)].push_back(&entry);
    }
  });
  wait_for_compiles();
  for (const std::vector<KernelEntry*>& entries : found) {
    EXPECT_EQ(entries, found[0]);
  }
  const bool compiles = codegen::llvm_target().target != nullptr;
  for (const KernelEntry* entry : found[0]) {
    EXPECT_EQ(entry->compiled() != nullptr, compiles);
    EXPECT_EQ(entry->rejected.load(), !compiles);
  }
}

}  // namespace
}  // namespace rondo::jit
