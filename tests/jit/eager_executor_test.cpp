#include "jit/eager_executor.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/autograd/backward.h"
#include "core/ops/all.h"
#include "tests/support/tensors.h"

namespace rondo {
namespace {

using test::floats;
using test::values;
using Values = std::vector<double>;

TEST(EagerExecutor, AddsBroadcastOperands) {
  const Tensor a = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor b = floats({3}, {10, 20, 30});
  EXPECT_EQ(values(a + b), (Values{11, 22, 33, 14, 25, 36}));
  EXPECT_EQ(values(a * 2), (Values{2, 4, 6, 8, 10, 12}));
  EXPECT_EQ(values(transpose(a, 0, 1) + floats({2}, {1, 2})), (Values{2, 6, 3, 7, 4, 8}));
}

TEST(EagerExecutor, ReducesOverAnyAxes) {
  const Tensor a = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(values(sum(a)), (Values{21}));
  EXPECT_EQ(values(sum(a, 0)), (Values{5, 7, 9}));
  EXPECT_EQ(values(sum(a, 1, true)), (Values{6, 15}));
  EXPECT_EQ(values(mean(a, -1)), (Values{2, 5}));
  EXPECT_EQ(values(amax(a, Ints{0, 1})), (Values{6}));
}

TEST(EagerExecutor, ReducesAxesThatAreNotNeighbours) {
  jit::initialize();
  const Tensor a = arange(0, 24, 1, Dtype::float32);
  const Tensor b = reshape(a, Shape{2, 3, 4});
  EXPECT_EQ(values(sum(b, Ints{0, 2})), (Values{60, 92, 124}));
}

TEST(EagerExecutor, MultipliesMatrices) {
  const Tensor a = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor b = floats({3, 2}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(values(matmul(a, b)), (Values{22, 28, 49, 64}));
  EXPECT_EQ(values(matmul(a, transpose(a, 0, 1))), (Values{14, 32, 32, 77}));
  EXPECT_EQ(values(matmul(a, floats({3}, {1, 1, 1}))), (Values{6, 15}));
}

TEST(EagerExecutor, RunsACompositeAsOneKernel) {
  const Tensor y = softmax(floats({2, 2}, {0, 0, 1, 1}), 1);
  EXPECT_EQ(values(y), (Values{0.5, 0.5, 0.5, 0.5}));
}

TEST(EagerExecutor, WritesInPlaceThroughViews) {
  const Tensor a = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  add.in_place(select(a, 1, 0), 100);
  EXPECT_EQ(values(a), (Values{101, 2, 3, 104, 5, 6}));
  copy.in_place(slice(a, 1, 1, std::nullopt, 1), slice(a, 1, 0, -1, 1));
  EXPECT_EQ(values(a), (Values{101, 101, 2, 104, 104, 5}));
}

TEST(EagerExecutor, CastsRound) {
  const Tensor x = floats({3}, {2049, 2051, 0.1F});
  EXPECT_EQ(values(cast(x, Dtype::float16)), (Values{2048, 2052, 0.0999755859375}));
  EXPECT_EQ(values(cast(floats({3}, {257, 259, -1.9F}), Dtype::int8)), (Values{1, 3, -1}));
}

TEST(EagerExecutor, DifferentiatesAMatrixProductWithTanh) {
  const Tensor x = floats({2, 2}, {1, 2, 3, 4});
  const Tensor w = floats({2, 1}, {0.1F, -0.2F});
  set_requires_grad(w, true);
  const Tensor loss = sum(tanh(matmul(x, w)));
  backward({&loss, 1}, {});
  const Values grad = values(grad_meta(w)->grad);
  const double d0 = 1 - std::pow(std::tanh(-0.3), 2);
  const double d1 = 1 - std::pow(std::tanh(-0.5), 2);
  EXPECT_NEAR(grad[0], d0 * 1 + d1 * 3, 1e-5);
  EXPECT_NEAR(grad[1], d0 * 2 + d1 * 4, 1e-5);
}

TEST(EagerExecutor, DifferentiatesTwice) {
  const Tensor x = floats({1}, {0.7F});
  set_requires_grad(x, true);
  const Tensor y = tanh(x);
  const Tensor g = gradients({&y, 1}, {&x, 1}, {}, {.create_graph = true})[0];
  const Tensor gg = gradients({&g, 1}, {&x, 1}, {})[0];
  const double t = std::tanh(0.7);
  EXPECT_NEAR(values(gg)[0], -2 * t * (1 - t * t), 1e-6);
}

}  // namespace
}  // namespace rondo
