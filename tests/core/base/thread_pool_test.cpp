#include "core/base/thread_pool.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/base/error.h"
#include "core/base/float_environment.h"
#include "tests/support/check_error.h"
#include "tests/support/on_threads.h"
#include "tests/support/settings.h"

namespace rondo {
namespace {

using Index = std::int64_t;

// How often each index of 0..count-1 was visited.
std::vector<int> visits(Index count, Index grain) {
  std::vector<int> seen(static_cast<std::size_t>(count), 0);
  parallel_for(count, grain, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      ++seen[static_cast<std::size_t>(i)];
    }
  });
  return seen;
}

void spin_for(std::chrono::microseconds time) {
  const auto end = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < end) {
  }
}

TEST(ThreadPool, VisitsEveryIndexOnceForAnyCountGrainAndThreads) {
  for (const int threads : {1, 2, 3, 7}) {
    const ThreadsSetting setting(threads);
    for (const Index count : {1, 2, 3, 5, 16, 17, 1000, 4096}) {
      for (const Index grain : {0, 1, 7, 512, 5000}) {
        EXPECT_EQ(visits(count, grain), std::vector<int>(static_cast<std::size_t>(count), 1))
            << threads << " threads, count " << count << ", grain " << grain;
      }
    }
  }
}

TEST(ThreadPool, DoesNotCallTheBodyForAnEmptyRange) {
  parallel_for(0, 1, [](Index, Index) { FAIL(); });
}

TEST(ThreadPool, BeginsPartsAtMultiplesOfTheGrain) {
  const ThreadsSetting setting(3);
  std::atomic<int> wrong{0};
  parallel_for(1001, 16, [&](Index begin, Index end) {
    wrong += begin % 16 != 0 || (end % 16 != 0 && end != 1001) ? 1 : 0;
  });
  EXPECT_EQ(wrong, 0);
}

TEST(ThreadPool, RunsPartsInSeveralThreads) {
  const ThreadsSetting setting(2);
  std::atomic<bool> other{false};
  const auto caller = std::this_thread::get_id();
  parallel_for(2, 1, [&](Index, Index) {
    if (std::this_thread::get_id() != caller) {
      other = true;
      return;
    }
    while (!other) {
      std::this_thread::yield();
    }
  });
  EXPECT_TRUE(other);
}

TEST(ThreadPool, WakesItsThreadsAfterTheyHaveGoneToSleep) {
  const ThreadsSetting setting(2);
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> arrived{0};
    parallel_for(2, 1, [&](Index, Index) {
      ++arrived;
      while (arrived != 2) {
        std::this_thread::yield();
      }
    });
    EXPECT_EQ(arrived, 2);
    std::this_thread::sleep_for(std::chrono::milliseconds(round % 3));
  }
}

TEST(ThreadPool, ManyShortCallsInARowAreEachComplete) {
  const ThreadsSetting setting(3);
  Index total = 0;
  for (Index round = 0; round < 20000; ++round) {
    std::array<Index, 3> found{};
    parallel_for(3, 1, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        found[static_cast<std::size_t>(i)] = round + i;
      }
    });
    total += std::accumulate(found.begin(), found.end(), Index{0}) - 3 * round;
  }
  EXPECT_EQ(total, 3 * 20000);
}

TEST(ThreadPool, RunsNestedCallsInTheThreadThatMakesThem) {
  const ThreadsSetting setting(2);
  std::atomic<int> elsewhere{0};
  EXPECT_FALSE(in_parallel_region());
  parallel_for(4, 1, [&](Index, Index) {
    EXPECT_TRUE(in_parallel_region());
    const auto outer = std::this_thread::get_id();
    parallel_for(100, 1,
                 [&](Index, Index) { elsewhere += std::this_thread::get_id() == outer ? 0 : 1; });
  });
  EXPECT_FALSE(in_parallel_region());
  EXPECT_EQ(elsewhere, 0);
}

TEST(ThreadPool, ServesSeveralCallersAtOnce) {
  const ThreadsSetting setting(2);
  std::atomic<int> wrong{0};
  on_threads(4, [&](int) {
    for (int round = 0; round < 300; ++round) {
      wrong += visits(64, 1) == std::vector<int>(64, 1) ? 0 : 1;
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(ThreadPool, ThrowsTheFirstExceptionToTheCallerAndStaysUsable) {
  for (const int threads : {1, 2}) {
    const ThreadsSetting setting(threads);
    for (int round = 0; round < 100; ++round) {
      check_error<std::runtime_error>(
          [&] {
            parallel_for(8, 1, [&](Index, Index end) {
              if (end > (round % 2) * 4) {
                throw std::runtime_error("the body failed");
              }
            });
          },
          "the body failed");
      EXPECT_FALSE(in_parallel_region());
    }
    EXPECT_EQ(visits(100, 1), std::vector<int>(100, 1));
  }
}

TEST(ThreadPool, RunsBodiesInTheDefaultFloatEnvironmentAndRestoresTheCallers) {
  constexpr unsigned kFlushSubnormals = 0x8040;
  constexpr unsigned kControl = 0xFFC0;
  const ThreadsSetting setting(2);
  const unsigned before = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(before | kFlushSubnormals);
  std::atomic<int> arrived{0};
  std::atomic<int> wrong{0};
  parallel_for(2, 1, [&](Index, Index) {
    wrong += (__builtin_ia32_stmxcsr() & kControl) == 0x1F80 ? 0 : 1;
    ++arrived;
    while (arrived != 2) {
      std::this_thread::yield();
    }
  });
  const unsigned after = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr(before);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(after & kControl, (before | kFlushSubnormals) & kControl);
}

TEST(ThreadPool, BlocksSignalsInItsThreads) {
  const ThreadsSetting setting(2);
  std::atomic<int> arrived{0};
  std::atomic<int> unblocked{0};
  const auto caller = std::this_thread::get_id();
  parallel_for(2, 1, [&](Index, Index) {
    if (std::this_thread::get_id() != caller) {
      sigset_t mask;
      pthread_sigmask(SIG_SETMASK, nullptr, &mask);
      unblocked += sigismember(&mask, SIGINT) == 1 && sigismember(&mask, SIGTERM) == 1 ? 0 : 1;
    }
    ++arrived;
    while (arrived != 2) {
      std::this_thread::yield();
    }
  });
  EXPECT_EQ(unblocked, 0);
}

TEST(ThreadPool, IsRebuiltInAForkedChildEvenWhileAnotherThreadHoldsIt) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer cannot start threads in a forked child";
#endif
  const ThreadsSetting setting(2);
  std::atomic<bool> stop{false};
  std::thread holder([&] {
    while (!stop) {
      parallel_for(2, 1, [](Index, Index) { spin_for(std::chrono::microseconds(200)); });
    }
  });
  for (int round = 0; round < 5; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      _exit(visits(1000, 1) == std::vector<int>(1000, 1) && num_threads() == 2 ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  stop = true;
  holder.join();
}

TEST(ThreadPool, RejectsBadCountsAndCallsFromInside) {
  check_error<ArgumentError>([] { set_num_threads(0); },
                             "set_num_threads: bad count: 0; expected 1 to 1024");
  check_error<ArgumentError>([] { set_num_threads(1025); },
                             "set_num_threads: bad count: 1025; expected 1 to 1024");
  check_error<ArgumentError>([] { parallel_for(1, 1, [](Index, Index) { set_num_threads(1); }); },
                             "set_num_threads: called inside a parallel_for; call it outside");
}

}  // namespace
}  // namespace rondo
