// Small cases that other frameworks have got wrong: part B of the list of pains.
#include <gtest/gtest.h>

#include <cmath>

#include "core/autograd/backward.h"
#include "core/base/error.h"
#include "core/ops/all.h"
#include "tests/support/check_error.h"
#include "tests/support/check_op.h"
#include "tests/support/settings.h"
#include "tests/support/tensors.h"

namespace rondo {
namespace {

using test::bools;
using test::floats;
using test::integers;
using test::is_near;
using test::numbers;
using test::values;
using Values = std::vector<double>;

constexpr float kNan = NAN;
constexpr float kInf = INFINITY;

void expect_values(const Tensor& tensor, const Values& expected, double tolerance = 0) {
  const Values got = values(tensor);
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(is_near(got[i], expected[i], tolerance))
        << "element " << i << ": " << got[i] << ", expected " << expected[i];
  }
}

/// The gradient of the sum of f(x) at x.
template <class F>
Tensor gradient_at(const Tensor& x, const F& f) {
  set_requires_grad(x, true);
  const Tensor total = sum(f(x));
  return gradients({&total, 1}, {&x, 1}, {})[0];
}

/// Runs the case interpreted and compiled.
class KnownPainsTest : public testing::TestWithParam<jit::Mode> {
 protected:
  KnownPainsTest() : setting_((jit::initialize(), GetParam())) {}

 private:
  ModeSetting setting_;
};

INSTANTIATE_TEST_SUITE_P(Modes, KnownPainsTest,
                         testing::Values(jit::Mode::interpreted, jit::Mode::compiled),
                         [](const auto& info) {
                           return info.param == jit::Mode::compiled ? "compiled" : "interpreted";
                         });

TEST_P(KnownPainsTest, B1IndicesMultiplyIn64Bits) {
  const Tensor y = arange(0, 11, 1, Dtype::int64) * integers({1}, {1000000000});
  EXPECT_EQ(y.dtype(), Dtype::int64);
  for (std::int64_t i = 0; i < 11; ++i) {
    EXPECT_EQ(y.data_as<std::int64_t>()[i], i * 1000000000);
  }
}

TEST_P(KnownPainsTest, B2ACastIsARoundingStep) {
  const Tensor y = cast(floats({1}, {5000}), Dtype::float16);
  expect_values(cast(y * y, Dtype::float32), {kInf});
  expect_values(cast(cast(floats({3}, {2049, 2051, 0.1F}), Dtype::float16), Dtype::float32),
                {2048, 2052, 0.0999755859375});
  expect_values(
      cast(cast(floats({3}, {257, 259, 1.00390625F}), Dtype::bfloat16), Dtype::float32) + 0,
      {256, 260, 1});
}

TEST_P(KnownPainsTest, B9NanPropagatesThroughReluClampMaximumAndArgmax) {
  for (const Dtype dtype : {Dtype::float16, Dtype::float32}) {
    const Tensor x = cast(floats({7}, {-3, kNan, -1, 0, 1, 2, kNan}), dtype);
    const Tensor y = cast(floats({7}, {0, 0, kNan, 0, 0, 0, 0}), dtype);
    expect_values(relu(x), {0, kNan, 0, 0, 1, 2, kNan});
    expect_values(clamp(x, 0.5), {.5, kNan, .5, .5, 1, 2, kNan});
    expect_values(maximum(x, y), {0, kNan, kNan, 0, 1, 2, kNan});
    expect_values(maximum(y, x), {0, kNan, kNan, 0, 1, 2, kNan});
    expect_values(amax(x), {kNan});
    expect_values(amin(x), {kNan});
    expect_values(argmax(cast(floats({2}, {kNan, 4.6F}), dtype)), {0});
    expect_values(argmax(cast(floats({3}, {1, kNan, kNan}), dtype)), {1});
  }
}

TEST_P(KnownPainsTest, B9ClampOfIntegersByAFractionIsFloating) {
  const Tensor y = clamp(integers({4}, {0, 1, 2, 3}), 0.5);
  EXPECT_EQ(y.dtype(), Dtype::float32);
  expect_values(y, {.5, 1, 2, 3});
}

TEST_P(KnownPainsTest, B12MeansAndSumsOfHalvesAccumulateInFloat32) {
  const auto ones_of = [](std::int64_t n) { return ones({n}, Dtype::float16); };
  expect_values(mean(ones_of(100000)), {1});
  expect_values(mean(ones_of(65520)), {1});
  expect_values(sum(ones_of(100000)), {kInf});
  const Tensor large = cast(
      floats({8}, {32000, 32000, 32000, 32000, -32000, -32000, -32000, -32000}), Dtype::float16);
  expect_values(sum(large, 0), {0});
  expect_values(mean(ones({2, 70000}, Dtype::float16), 1), {1, 1});
}

TEST_P(KnownPainsTest, B14BranchesNotTakenHaveNoGradient) {
  const auto guarded_exp = [](const Tensor& a) { return where(le(a, 0), exp(a), 1 + a); };
  expect_values(guarded_exp(floats({1}, {100})), {101});
  expect_values(gradient_at(floats({1}, {100}), guarded_exp), {1});
  const auto guarded_sqrt = [](const Tensor& x) { return where(gt(x, 0), sqrt(x), x); };
  expect_values(gradient_at(floats({2}, {-1, -4}), guarded_sqrt), {1, 1});
  expect_values(gradient_at(floats({2}, {0, 0}), [](const Tensor& x) { return norm(x); }), {0, 0});
  const auto guarded_log = [](const Tensor& x) { return where(gt(x, 0), x * log(x), 0); };
  expect_values(gradient_at(floats({2}, {0, 1}), guarded_log), {0, 1});
  const auto guarded_div = [](const Tensor& x) { return where(ne(x, 0), 1 / x, 0); };
  expect_values(gradient_at(floats({2}, {0, 2}), guarded_div), {0, -0.25});
  const auto guarded_pow = [](const Tensor& x) { return where(gt(x, 0), pow(x, 0.5), x); };
  expect_values(gradient_at(floats({2}, {0, 4}), guarded_pow), {1, 0.25});
  const auto masked_softmax = [](const Tensor& x) {
    return masked_fill(softmax(masked_fill(x, bools({1, 2}, {1, 1}), -kInf), 1),
                       bools({1, 2}, {1, 1}), 0);
  };
  expect_values(gradient_at(floats({1, 2}, {1, 2}), masked_softmax), {0, 0});
}

TEST_P(KnownPainsTest, B15EmptyTensorsReduceToIdentities) {
  const Tensor x = zeros({3, 0}, Dtype::float32);
  expect_values(sum(x, 1), {0, 0, 0});
  expect_values(prod(x, 1), {1, 1, 1});
  expect_values(mean(x, 1), {kNan, kNan, kNan});
  expect_values(any(x, 1), {0, 0, 0});
  expect_values(all(x, 1), {1, 1, 1});
  expect_values(logsumexp(x, 1), {-kInf, -kInf, -kInf});
  check_error<ArgumentError>(
      [&] { amax(x, 1); }, "amax: axis 1 of shape [3, 0] is empty; it needs at least one element");
  check_error<ArgumentError>([&] { argmin(x, 1); },
                             "argmin: axis 1 of shape [3, 0] is empty; it needs at least one "
                             "element");
  EXPECT_EQ(amax(x, 0).shape(), (Shape{0}));
}

TEST_P(KnownPainsTest, B15EmptyAndRankZeroTensorsHaveResults) {
  expect_values(matmul(zeros({2, 0}, Dtype::float32), zeros({0, 3}, Dtype::float32)), Values(6, 0));
  const Tensor number = floats({}, {3});
  expect_values(mean(number, 0), {3});
  expect_values(amax(number, 0), {3});
  expect_values(max_dim(number, 0)[0], {3});
  expect_values(max_dim(number, 0)[1], {0});
  EXPECT_EQ(softmax(zeros({2, 0}, Dtype::float32), 1).shape(), (Shape{2, 0}));
  EXPECT_EQ(softmax(zeros({0, 2}, Dtype::float32), 1).shape(), (Shape{0, 2}));
  const auto nothing = [](const Tensor& x) { return masked_select(x, bools({2}, {0, 0})); };
  expect_values(gradient_at(floats({2}, {1, 2}), nothing), {0, 0});
}

TEST_P(KnownPainsTest, B16SoftmaxAndLogsumexpAtMinusInfinity) {
  expect_values(softmax(floats({2}, {0, -kInf}), 0), {1, 0});
  expect_values(softmax(floats({2}, {-kInf, -kInf}), 0), {kNan, kNan});
  expect_values(logsumexp(floats({2}, {-kInf, -kInf}), 0), {-kInf});
  expect_values(logsumexp(floats({2}, {kInf, 1}), 0), {kInf});
  expect_values(log_softmax(floats({2}, {0, -kInf}), 0), {0, -kInf});
  expect_values(logsumexp(zeros({65536}, Dtype::float16), 0), {11.09}, 1e-3);
  const auto total = [](const Tensor& x) { return logsumexp(x, 0); };
  expect_values(gradient_at(floats({2}, {-kInf, -kInf}), total), {0, 0});
  expect_values(gradient_at(floats({2}, {0, -kInf}), total), {1, 0});
  for (std::int64_t n = 1; n <= 67; ++n) {
    expect_values(sum(softmax(zeros({n}, Dtype::float32), 0)), {1}, 1e-6);
  }
}

TEST_P(KnownPainsTest, SecondDerivativesOfAProductWithZerosAreExact) {
  const Tensor x = numbers({3}, {0, 0, 5});
  set_requires_grad(x, true);
  const Tensor y = prod(x);
  const Tensor g = gradients({&y, 1}, {&x, 1}, {}, {.create_graph = true})[0];
  expect_values(g, {0, 0, 0});
  const Tensor first = select(g, 0, 0);
  expect_values(gradients({&first, 1}, {&x, 1}, {})[0], {0, 5, 0});
}

}  // namespace
}  // namespace rondo
