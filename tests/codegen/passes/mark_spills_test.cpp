#include <gtest/gtest.h>

#include <vector>

#include "codegen/passes/build_kernel.h"
#include "tests/support/kernel_builder.h"

namespace rondo::codegen {
namespace {

/// Stores value - maximum(value): `value` is needed in phase 0, and again in phase 1.
Kernel centred(KernelBuilder& build, int value) {
  const int most = build.reduce(ReduceKind::maximum, value);
  build.store(build.op(ScalarOp::sub, value, most), Dtype::float32);
  return build.kernel();
}

std::vector<int> spilled(const Kernel& kernel) {
  std::vector<int> numbers;
  for (std::size_t n = 0; n < kernel.code.size(); ++n) {
    if (kernel.code[n].spill) {
      numbers.push_back(static_cast<int>(n));
    }
  }
  return numbers;
}

TEST(MarkSpills, KeepsTheLastExpensiveValueThatALaterPhaseNeeds) {
  KernelBuilder build;
  const int x = build.load(Dtype::float32);
  const int first = build.op(ScalarOp::exp, x);
  const int second = build.op(ScalarOp::tanh, first);
  Kernel kernel = centred(build, build.op(ScalarOp::add, second, x));
  mark_spills(kernel);
  EXPECT_EQ(spilled(kernel), std::vector<int>{second});
}

TEST(MarkSpills, ComputesCheapValuesAgain) {
  KernelBuilder build;
  const int x = build.load(Dtype::float32);
  Kernel kernel = centred(build, build.op(ScalarOp::mul, x, x));
  mark_spills(kernel);
  EXPECT_EQ(spilled(kernel), std::vector<int>{});
}

TEST(MarkSpills, KeepsNothingThatOneOnlyPhaseNeeds) {
  KernelBuilder build;
  const int x = build.op(ScalarOp::exp, build.load(Dtype::float32));
  build.store(x, Dtype::float32);
  build.reduce(ReduceKind::sum, x);
  Kernel kernel = build.kernel();
  mark_spills(kernel);
  EXPECT_EQ(spilled(kernel), std::vector<int>{});
}

TEST(MarkSpills, VisitsValuesThatAreUsedTwiceOnce) {
  KernelBuilder build;
  const int root = build.op(ScalarOp::exp, build.load(Dtype::float32));
  int value = root;
  for (int i = 0; i < 100; ++i) {  // 2^100 ways lead from the end of this chain to its root
    value = build.op(ScalarOp::add, value, value);
  }
  Kernel kernel = centred(build, value);
  mark_spills(kernel);
  EXPECT_EQ(spilled(kernel), std::vector<int>{root});
}

}  // namespace
}  // namespace rondo::codegen
