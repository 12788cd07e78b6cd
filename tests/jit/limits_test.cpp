#include "jit/limits.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/ops/all.h"
#include "core/tensor/allocator.h"
#include "jit/initialize.h"
#include "tests/support/check_error.h"
#include "tests/support/tensors.h"

namespace rondo::jit {
namespace {

TEST(Limits, RefuseTheCallThatExceedsThem) {
  initialize();
  const Tensor x = expand(test::floats({1}, {1}), Shape{1 << 20});
  const WorkGuard guard({.work = 3e6});
  sum(x);
  sum(x);
  check_error<UnsupportedError>([&] { sum(x); },
                                "sum: the run has done 3.15e+06 units of work; its limit is 3e+06");
}

TEST(Limits, CountMultiplicationsOfProductsAndConvolutions) {
  initialize();
  const Tensor a = zeros(Shape{100, 200}, Dtype::float32);
  const Tensor b = zeros(Shape{200, 50}, Dtype::float32);
  const Tensor image = zeros(Shape{1, 3, 10, 10}, Dtype::float32);
  const Tensor weight = zeros(Shape{4, 3, 3, 3}, Dtype::float32);
  {
    const WorkGuard guard({.work = 1'000'100});
    matmul(a, b);
  }
  {
    const WorkGuard guard({.work = 1'000'099});
    check_error<UnsupportedError>(
        [&] { matmul(a, b); }, "matmul: the run has done 1e+06 units of work; its limit is 1e+06");
  }
  {
    const WorkGuard guard({.work = 4 * 8 * 8 * 27 + 99});
    check_error<UnsupportedError>(
        [&] { conv2d(image, weight); },
        "conv2d: the run has done 7.01e+03 units of work; its limit is 7.01e+03");
  }
}

TEST(Limits, AMemoryLimitIsAnOutOfMemoryErrorWithTheFigures) {
  const std::int64_t live = memory_stats().live;
  const std::int64_t before = set_memory_limit(live + 1000);
  check_error<OutOfMemoryError>([&] { allocate(2000); },
                                "allocate: out of memory: 2000 bytes asked for, " +
                                    std::to_string(live) + " live, the limit is " +
                                    std::to_string(live + 1000) +
                                    "; free tensors or raise the limit");
  EXPECT_EQ(set_memory_limit(before), live + 1000);
  deallocate(allocate(2000), 2000);
}

TEST(Limits, MoreMemoryThanThereIsOfAnySizeIsAnOutOfMemoryError) {
  for (const int bits : {51, 53, 61}) {
    EXPECT_THROW(allocate(std::int64_t{1} << bits), OutOfMemoryError) << "2^" << bits;
  }
  EXPECT_THROW(allocate((std::int64_t{1} << 62) - 1), OutOfMemoryError);
}

}  // namespace
}  // namespace rondo::jit
