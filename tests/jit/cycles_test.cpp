// Loading, running and unloading again and again holds no more memory than once.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "core/tensor/allocator.h"
#include "jit/compile_queue.h"
#include "jit/session.h"
#include "tests/support/small_archive.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/tensors.h"

namespace rondo::jit {
namespace {

std::int64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t all = 0;
  std::int64_t resident = 0;
  file >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

TEST(Module, AThousandCyclesOfLoadRunAndUnloadKeepMemoryFlat) {
  const TemporaryFolder folder;
  const std::string path = folder.write("small.rondo", test::small_archive());
  const auto cycle = [&](int n) {
    Session session(Module::load_file(path));
    const std::int64_t rows = 1 + n % 5;
    const std::vector<float> x(static_cast<std::size_t>(rows) * 3, 1.0F);
    session.run("forward", {test::floats({rows, 3}, x)});
  };
  const auto kernels = [] {
    const CompileStats stats = compile_stats();
    return stats.compiled + stats.from_disk + stats.failed;
  };
  // A period in which kernels are compiled, or the compiler is opened, says nothing.
  std::int64_t live = 0;
  std::int64_t resident = 0;
  std::uint64_t before = 0;
  int periods = 0;
  do {
    ASSERT_LT(periods++, 10) << "kernels are compiled in every thousand cycles";
    live = memory_stats().live;
    resident = resident_bytes();
    before = kernels();
    for (int n = 0; n < 1000; ++n) {
      cycle(n);
    }
    wait_for_compiles();
  } while (periods == 1 || kernels() != before);
  EXPECT_LT(memory_stats().live, live + 4096);  // what the last calls still hold
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
  GTEST_SKIP() << "AddressSanitizer keeps what was freed, so that resident memory says nothing";
#endif
#endif
  EXPECT_LT(resident_bytes(), resident + (std::int64_t{1} << 20));
}

}  // namespace
}  // namespace rondo::jit
