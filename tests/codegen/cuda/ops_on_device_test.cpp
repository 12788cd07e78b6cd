// Every op of the table on the stand-in's device: results and gradients have the CPU's bits.
#include <gtest/gtest.h>

#include <set>

#include "core/autograd/backward.h"
#include "core/autograd/tape.h"
#include "core/base/error.h"
#include "core/op/device_scope.h"
#include "core/op/generator.h"
#include "core/ops/arithmetic.h"
#include "core/ops/create.h"
#include "core/ops/reduce.h"
#include "core/tensor/equal.h"
#include "core/tensor/transfer.h"
#include "jit/thread_executor.h"
#include "tests/codegen/cuda/stand_in.h"
#include "tests/core/ops/cases.h"

namespace rondo::codegen::cuda {
namespace {

using test::Args;
using test::OpCase;

constexpr std::size_t kParts = 16;  // of the cases, so that each test stays short
constexpr Device kHost{};
constexpr Device kGpu{DeviceType::cuda, 0};

const std::vector<OpCase>& all_cases() {
  static const std::vector<OpCase> all = [] {
    std::vector<OpCase> list;
    for (const auto& family :
         {test::arithmetic_cases(), test::math_cases(), test::activation_cases(),
          test::reduce_cases(), test::normalize_cases(), test::loss_cases(), test::index_cases(),
          test::reshape_cases(), test::product_cases(), test::window_cases(),
          test::optimize_cases(), test::random_cases()}) {
      list.insert(list.end(), family.begin(), family.end());
    }
    return list;
  }();
  return all;
}

bool has_gradient(const Tensor& t) {
  return t.defined() && is_floating(t.dtype());
}

/// The results of the op on a device, and the gradients of a weighted sum of them.
std::vector<Tensor> run(const OpInfo& op, const Args& args, Device device) {
  default_generator().seed(42);
  std::vector<Tensor> leaves;
  const Args there = test::map_tensors(args, [&](const Tensor& t) {
    const Tensor leaf = to_device(rondo::clone(t), device);
    if (op.differentiable && !op.in_place && has_gradient(leaf)) {
      set_requires_grad(leaf, true);
      leaves.push_back(leaf);
    }
    return leaf;
  });
  const DeviceScope scope(device);
  std::vector<Tensor> results = test::call_op(op, there);
  Tensor total;
  unsigned seed = 7;
  for (const Tensor& result : results) {
    if (result.defined() && result.requires_grad()) {
      const Tensor weight = cast(test::uniform(result.shape(), 0.5, 1.5, seed++), result.dtype());
      const Tensor part = sum(result * to_device(weight, device));
      total = total.defined() ? total + part : part;
    }
  }
  if (total.defined()) {
    const std::vector<Tensor> found = gradients({&total, 1}, leaves, {}, {}, true);
    results.insert(results.end(), found.begin(), found.end());
  }
  return results;
}

/// Nothing where the op does not take the operands.
std::vector<Tensor> run_if_taken(const OpInfo& op, const Args& args) {
  try {
    return run(op, args, kHost);
  } catch (const DtypeError&) {
    return {};
  }
}

void check(const OpCase& c, Dtype dtype) {
  const OpInfo& op = test::op_named(c.op);
  const Args args = test::map_tensors(
      c.args(), [&](const Tensor& t) { return t.dtype() == Dtype::float64 ? cast(t, dtype) : t; });
  const std::vector<Tensor> expected = run_if_taken(op, args);
  if (expected.empty()) {
    return;
  }
  const std::vector<Tensor> got = run(op, args, kGpu);
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].defined(), expected[i].defined()) << "result " << i;
    if (got[i].defined()) {
      EXPECT_EQ(got[i].device(), kGpu) << "result " << i;
      EXPECT_TRUE(same_bits(got[i], expected[i])) << "result " << i;
    }
  }
}

class OpsOnDevice : public testing::TestWithParam<std::size_t> {};

TEST_P(OpsOnDevice, GiveTheBitsOfTheCpu) {
  RONDO_NEEDS_COMPILER();
  ASSERT_NE(stand_in_backend(), nullptr);
  test::op_named("add");  // starts the library
  jit::thread_recorder().set_enabled(false);
  for (std::size_t i = GetParam(); i < all_cases().size(); i += kParts) {
    const OpCase& c = all_cases()[i];
    for (const Dtype dtype : {Dtype::float32, Dtype::float16}) {
      SCOPED_TRACE(c.op + " " + c.label + " " + std::string(dtype_name(dtype)));
      check(c, dtype);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Parts, OpsOnDevice, testing::Range(std::size_t{0}, kParts));

}  // namespace
}  // namespace rondo::codegen::cuda
