// Calls on a device: transfers, views, gradients across devices, what runs on the host, and errors.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/autograd/backward.h"
#include "core/autograd/tape.h"
#include "core/autograd/transfer.h"
#include "core/base/error.h"
#include "core/op/device_scope.h"
#include "core/ops/arithmetic.h"
#include "core/ops/create.h"
#include "core/ops/index.h"
#include "core/ops/matmul.h"
#include "core/ops/reduce.h"
#include "core/ops/reshape.h"
#include "core/tensor/equal.h"
#include "core/tensor/transfer.h"
#include "jit/stats.h"
#include "jit/thread_executor.h"
#include "tests/codegen/cuda/stand_in.h"
#include "tests/support/check_error.h"
#include "tests/support/check_op.h"
#include "tests/support/tensors.h"

namespace rondo::codegen::cuda {
namespace {

constexpr Device kGpu{DeviceType::cuda, 0};

Tensor counting(const Shape& shape) {
  return reshape(cast(arange(0, shape.numel()), Dtype::float32), shape);
}

class CallsOnDevice : public testing::Test {
 protected:
  void SetUp() override {
    RONDO_NEEDS_COMPILER();
    ASSERT_NE(stand_in_backend(), nullptr);
    test::op_named("add");  // starts the library
  }
};

TEST_F(CallsOnDevice, TransfersKeepEveryBitAlsoOfViews) {
  const Tensor x = counting({4, 6});
  const Tensor there = to_device(x, kGpu);
  EXPECT_EQ(there.device(), kGpu);
  EXPECT_TRUE(same_bits(to_device(there, {}), x));
  const Tensor part = slice(transpose(there, 0, 1), 0, 1, 6, 2);
  EXPECT_TRUE(same_bits(to_device(part, {}), slice(transpose(x, 0, 1), 0, 1, 6, 2)));
  const Tensor view = to_device(transpose(x, 0, 1), kGpu);
  EXPECT_TRUE(view.is_contiguous());
  EXPECT_TRUE(same_bits(view, transpose(x, 0, 1)));
  const Tensor none = to_device(test::floats({0, 3}, {}), kGpu);
  EXPECT_EQ(to_device(none, {}).shape(), (Shape{0, 3}));
  EXPECT_EQ(select(select(there, 0, 1), 0, 2).item().to_double(), 8.0);
}

TEST_F(CallsOnDevice, MemoryIsGivenBackWithTheLastTensor) {
  DeviceBackend* backend = stand_in_backend();
  const std::int64_t before = backend->memory(0).live;
  {
    const Tensor x = to_device(counting({100}), kGpu);
    const Tensor y = x + x;
    EXPECT_EQ(backend->memory(0).live, before + 800);
  }
  EXPECT_EQ(backend->memory(0).live, before);
}

TEST_F(CallsOnDevice, TheHostCannotReadTheData) {
  const Tensor x = to_device(counting({2}), kGpu);
  check_error<DeviceError>([&] { x.data(); },
                           "tensor: the data is on cuda:0, where the host cannot read it; copy it "
                           "with cpu()");
}

TEST_F(CallsOnDevice, OperandsMayLieAnyhow) {
  const Tensor x = counting({3, 4, 5});
  const Tensor y = to_device(x, kGpu);
  const auto turned = [](const Tensor& t) { return transpose(t, 0, 2); };
  EXPECT_TRUE(same_bits(turned(y) * 2, turned(x) * 2));
  EXPECT_TRUE(same_bits(sum(turned(y), Ints{0, 2}), sum(turned(x), Ints{0, 2})));
  EXPECT_TRUE(same_bits(sum(turned(y), 1), sum(turned(x), 1)));
  EXPECT_TRUE(same_bits(contiguous(turned(y)), turned(x)));
  const Tensor row = to_device(counting({5}), kGpu);
  EXPECT_TRUE(same_bits(y + row, x + counting({5})));
}

TEST_F(CallsOnDevice, InPlaceCallsWriteThroughViews) {
  const auto write = [](const Tensor& whole) {
    const Tensor part = slice(transpose(whole, 0, 1), 0, 0, 6, 3);
    add.in_place(part, 100);
    // Read and written at other places of one storage: the old values count.
    copy.in_place(slice(whole, 1, 1, 6), slice(whole, 1, 0, 5));
    return whole;
  };
  EXPECT_TRUE(same_bits(write(to_device(counting({4, 6}), kGpu)), write(counting({4, 6}))));
}

TEST_F(CallsOnDevice, CopyTakesItsSourceFromAnyDevice) {
  const Tensor there = to_device(counting({2, 3}), kGpu);
  const Tensor here = counting({2, 3}) + 10;
  copy.in_place(there, here);
  EXPECT_TRUE(same_bits(there, here));
  const Tensor back = test::floats({2, 3}, {0, 0, 0, 0, 0, 0});
  copy.in_place(back, there);
  EXPECT_TRUE(same_bits(back, here));
}

TEST_F(CallsOnDevice, NumbersFromTheHostMayMeetTensorsOfADevice) {
  const Tensor x = to_device(counting({3}), kGpu);
  const Tensor number = test::floats({}, {0.5F});
  set_requires_grad(number, true);
  set_requires_grad(x, true);
  const Tensor product = number * x;
  EXPECT_EQ(product.device(), kGpu);
  const Tensor total = sum(product);
  backward({&total, 1}, {}, {});
  EXPECT_EQ(grad_meta(number)->grad.device(), Device{});
  EXPECT_EQ(test::values(grad_meta(number)->grad), (std::vector<double>{3}));
  EXPECT_EQ(test::values(to_host(grad_meta(x)->grad)), (std::vector<double>{0.5, 0.5, 0.5}));
}

TEST_F(CallsOnDevice, OtherMixturesAreErrorsThatNameTheArgument) {
  const Tensor there = to_device(counting({2}), kGpu);
  const Tensor here = counting({2});
  check_error<DeviceError>(
      [&] { there + here; },
      "add: other is on cpu, other operands are on cuda:0; move one with to()");
  check_error<DeviceError>(
      [&] { here + there; },
      "add: input is on cpu, other operands are on cuda:0; move one with to()");
  check_error<DeviceError>(
      [&] { add.in_place(test::floats({}, {1}), sum(there)); },
      "add: other is on cuda:0, other operands are on cpu; move one with to()");
  set_requires_grad(there, true);
  const Tensor twice = there * 2;
  check_error<DeviceError>(
      [&] { backward({&twice, 1}, {&here, 1}, {}); },
      "backward: output 0 is on cuda:0, its gradient on cpu; they must be equal");
}

TEST_F(CallsOnDevice, GradientsFlowThroughTransfers) {
  const Tensor x = counting({3});
  set_requires_grad(x, true);
  const Tensor there = move_to(x, kGpu);
  const Tensor back = move_to(there * there, {});
  const Tensor total = sum(back);
  const std::vector<Tensor> first =
      gradients({&total, 1}, {&x, 1}, {}, {.retain_graph = true, .create_graph = true});
  EXPECT_EQ(first[0].device(), Device{});
  EXPECT_EQ(test::values(first[0]), (std::vector<double>{0, 2, 4}));
  const Tensor again = sum(first[0]);
  const std::vector<Tensor> second = gradients({&again, 1}, {&x, 1}, {}, {});
  EXPECT_EQ(test::values(second[0]), (std::vector<double>{2, 2, 2}));
}

TEST_F(CallsOnDevice, PartsOfATensorGiveOneGradientOnItsDevice) {
  const Tensor x = to_device(counting({5}), kGpu);
  set_requires_grad(x, true);
  const Tensor total = sum(slice(x, 0, 1, 2) * 3) + sum(slice(x, 0, 3, 5));
  const std::vector<Tensor> found = gradients({&total, 1}, {&x, 1}, {}, {});
  EXPECT_EQ(found[0].device(), kGpu);
  EXPECT_EQ(test::values(to_host(found[0])), (std::vector<double>{0, 3, 0, 1, 1}));
}

std::uint64_t calls_on_host(std::string_view op, FallbackReason reason) {
  for (const jit::FallbackRow& row : jit::fallbacks()) {
    if (row.op == op && row.reason == reason) {
      return row.calls;
    }
  }
  return 0;
}

TEST_F(CallsOnDevice, WhatIsNoKernelRunsOnTheHostAndIsCounted) {
  const Tensor x = counting({3, 4});
  const Tensor y = to_device(x, kGpu);
  const std::uint64_t products = calls_on_host("matmul", FallbackReason::product_on_host);
  EXPECT_TRUE(same_bits(matmul(y, transpose(y, 0, 1)), matmul(x, transpose(x, 0, 1))));
  EXPECT_EQ(calls_on_host("matmul", FallbackReason::product_on_host), products + 1);
  const Tensor places = to_device(test::integers({2}, {2, 0}), kGpu);
  const std::uint64_t functions = calls_on_host("index_select", FallbackReason::function_on_host);
  EXPECT_TRUE(same_bits(index_select(y, 0, places), index_select(x, 0, to_host(places))));
  EXPECT_EQ(calls_on_host("index_select", FallbackReason::function_on_host), functions + 1);
  const std::uint64_t kernels = jit::op_counts().on_devices;
  const Tensor doubled = y * 2;
  EXPECT_EQ(jit::op_counts().on_devices, kernels + 1);
}

TEST_F(CallsOnDevice, RepeatedCallsAreNotCaptured) {
  const tracer::RecorderStats before = jit::thread_recorder().stats();
  Tensor x = to_device(counting({8}), kGpu);
  for (int i = 0; i < 200; ++i) {
    x = x * 1 + 1;
  }
  EXPECT_EQ(jit::thread_recorder().stats().captured, before.captured);
  EXPECT_EQ(test::values(to_host(x)), test::values(counting({8}) + 200));
}

TEST_F(CallsOnDevice, CallsWithoutTensorsRunWhereTheScopeSays) {
  const Tensor here = full(Shape{2, 2}, 3, Dtype::float32);
  {
    const DeviceScope scope(kGpu);
    const Tensor there = full(Shape{2, 2}, 3, Dtype::float32);
    EXPECT_EQ(there.device(), kGpu);
    EXPECT_TRUE(same_bits(there, here));
    EXPECT_EQ((here * 2).device(), Device{});
  }
  EXPECT_EQ(full(Shape{1}, 1, Dtype::float32).device(), Device{});
}

}  // namespace
}  // namespace rondo::codegen::cuda
