// Memory, copies and kernels of the plug-in over the stand-in driver.
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "core/base/error.h"
#include "tests/codegen/cuda/case_call.h"
#include "tests/codegen/cuda/stand_in.h"
#include "tests/support/check_error.h"
#include "tests/support/kernel_builder.h"
#include "tests/support/on_threads.h"
#include "tests/support/random_kernel.h"
#include "tests/support/reference_kernel.h"

namespace rondo::codegen::cuda {
namespace {

TEST(CudaDevice, TellsWhatItIs) {
  const DeviceBackend* backend = stand_in_backend();
  ASSERT_EQ(backend->count(), 1);
  const DeviceInfo info = backend->info(0);
  EXPECT_EQ(info.name, "stand-in");
  EXPECT_EQ(info.capability, 990);
  EXPECT_EQ(info.multiprocessors, 3);
}

TEST(CudaDevice, CopiesThereAndBackAndCountsMemory) {
  DeviceBackend* backend = stand_in_backend();
  const MemoryStats before = backend->memory(0);
  std::vector<int> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 5);
  void* first = backend->allocate(0, 4000);
  void* second = backend->allocate(0, 4000);
  EXPECT_EQ(backend->memory(0).live, before.live + 8000);
  backend->copy_in(0, first, numbers.data(), 4000);
  std::fill(numbers.begin(), numbers.end(), 0);  // it may change once the call is back
  backend->copy_within(0, second, first, 4000);
  backend->deallocate(0, first, 4000);  // the copy still sees it
  backend->copy_out(0, numbers.data(), second, 4000);
  EXPECT_EQ(numbers[999], 1004);
  backend->deallocate(0, second, 4000);
  backend->synchronize(0);
  EXPECT_EQ(backend->memory(0).live, before.live);
  EXPECT_NE(backend->allocate(0, 0), nullptr);
}

TEST(CudaDevice, SaysWhatIsHeldWhenThereIsNoMemory) {
  DeviceBackend* backend = stand_in_backend();
  const std::int64_t live = backend->memory(0).live;
  const std::int64_t reserved = backend->memory(0).reserved;
  check_error<OutOfMemoryError>(
      [&] { backend->allocate(0, std::int64_t{1} << 40); },
      fmt::format("cuda:0: out of memory: {} bytes asked for, {} live, {} reserved, {} on the "
                  "device; free tensors",
                  std::int64_t{1} << 40, live, reserved, std::int64_t{4} << 30));
}

/// Runs a case through the plug-in.
void run_on_device(const KernelCase& kernel_case, CaseRun& run) {
  DeviceBackend* backend = stand_in_backend();
  std::vector<void*> buffers;
  for (const std::vector<std::byte>& buffer : kernel_case.buffers) {
    const auto bytes = static_cast<std::int64_t>(buffer.size());
    buffers.push_back(backend->allocate(0, bytes));
    backend->copy_in(0, buffers.back(), buffer.data(), bytes);
  }
  std::vector<std::uint64_t> addresses;
  for (void* buffer : buffers) {
    addresses.push_back(reinterpret_cast<std::uint64_t>(buffer));
  }
  stand_in_target().launch(0, kernel_case.kernel, call_of(kernel_case, addresses));
  for (std::size_t n = 0; n < buffers.size(); ++n) {
    const auto bytes = static_cast<std::int64_t>(kernel_case.buffers[n].size());
    backend->copy_out(0, run.buffers()[n].data(), buffers[n], bytes);
    backend->deallocate(0, buffers[n], bytes);
  }
}

TEST(CudaDevice, RunsRandomKernelsWithTheReferencesBits) {
  RONDO_NEEDS_NVRTC();
  for (std::uint64_t seed = 1000; seed < 1030; ++seed) {
    const KernelCase kernel_case = random_kernel(seed);
    CaseRun expected(kernel_case, Schedule::rows);
    run_reference(kernel_case.kernel, expected.args());
    CaseRun got(kernel_case, Schedule::rows);
    run_on_device(kernel_case, got);
    ASSERT_EQ(difference(kernel_case, got, expected), "") << "seed " << seed;
  }
}

TEST(CudaDevice, MayBeUsedByManyThreads) {
  RONDO_NEEDS_NVRTC();
  stand_in_backend();
  on_threads(4, [](int n) {
    const KernelCase kernel_case = random_kernel(n % 2 == 0 ? 1000 : 1001);
    CaseRun expected(kernel_case, Schedule::rows);
    run_reference(kernel_case.kernel, expected.args());
    for (int i = 0; i < 3; ++i) {
      CaseRun got(kernel_case, Schedule::rows);
      run_on_device(kernel_case, got);
      EXPECT_EQ(difference(kernel_case, got, expected), "");
    }
  });
}

/// In a process of its own, for a GPU that has failed stays so.
TEST(CudaDeviceDeathTest, ReportsWhatAKernelDidWrong) {
  RONDO_NEEDS_NVRTC();
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto reads_too_far = [] {
    DeviceBackend* backend = stand_in_backend();
    KernelBuilder build;
    build.store(build.load(Dtype::float32), Dtype::float32);
    DeviceCall call;
    void* memory = backend->allocate(0, 64);
    const std::vector<float> zeros(16);
    backend->copy_in(0, memory, zeros.data(), 64);
    call.data = {reinterpret_cast<std::uint64_t>(memory), reinterpret_cast<std::uint64_t>(memory)};
    call.row_stride = call.outer_stride = {0, 0};
    call.col_stride = {4, 4};
    call.rows = 1;
    call.cols = 17;
    try {
      stand_in_target().launch(0, build.kernel(), call);
      backend->synchronize(0);
    } catch (const DeviceError& error) {
      std::fputs(error.what(), stderr);
      std::exit(3);
    }
    std::exit(0);
  };
  EXPECT_EXIT(reads_too_far(), testing::ExitedWithCode(3),
              "cuda: synchronize: CUDA_ERROR_ILLEGAL_ADDRESS .rondo_kernel: block 0, thread 16: "
              "ld.global.* read of 4 bytes at byte 64 of an allocation of 64 bytes");
}

TEST(CudaDeviceDeathTest, SaysWhichDriverIsTooOld) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto open_old = [] {
    setenv("RONDO_STAND_IN_VERSION", "11080", 1);
    std::string reason;
    DevicePlugin* plugin = stand_in_plugin(reason);
    if (plugin != nullptr && plugin->backend(reason) == nullptr) {
      std::fputs(reason.c_str(), stderr);
    }
    std::exit(3);
  };
  EXPECT_EXIT(open_old(), testing::ExitedWithCode(3),
              "cuda: the driver .*/stand_in/libcuda.so.1 is for CUDA 11.8; CUDA 12.0 or later is "
              "required; install a newer driver");
}

}  // namespace
}  // namespace rondo::codegen::cuda
