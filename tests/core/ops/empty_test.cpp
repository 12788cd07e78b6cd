// Tensors without elements, tensors of rank 0 and extreme numbers in the ops that do not go element
// by element.
#include <gtest/gtest.h>

#include <cmath>

#include "core/autograd/backward.h"
#include "core/base/error.h"
#include "core/ops/all.h"
#include "tests/support/check_error.h"
#include "tests/support/check_op.h"
#include "tests/support/tensors.h"

namespace rondo {
namespace {

using test::bools;
using test::floats;
using test::integers;
using test::values;
using Values = std::vector<double>;

Tensor nothing(const Shape& shape) {
  jit::initialize();
  return zeros(shape, Dtype::float32);
}

Tensor no_indices(const Shape& shape) {
  return integers(shape, {});
}

TEST(EmptyTensors, IndexNothing) {
  const Tensor m = floats({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(gather(m, 0, no_indices({0, 2})).shape(), (Shape{0, 2}));
  EXPECT_EQ(index_select(m, 1, no_indices({0})).shape(), (Shape{2, 0}));
  EXPECT_EQ(embedding(no_indices({3, 0}), m).shape(), (Shape{3, 0, 2}));
  EXPECT_EQ(values(scatter_add(m, 0, no_indices({0, 2}), nothing({0, 2}))), (Values{1, 2, 3, 4}));
  EXPECT_EQ(values(index_add(m, 0, no_indices({0}), nothing({0, 2}))), (Values{1, 2, 3, 4}));
  const std::vector<Tensor> none{no_indices({0})};
  EXPECT_EQ(rondo::index(m, none).shape(), (Shape{0, 2}));
  EXPECT_EQ(nonzero(nothing({0, 3})).shape(), (Shape{0, 2}));
  EXPECT_EQ(masked_select(m, bools({2, 2}, {0, 0, 0, 0})).shape(), (Shape{0}));
  EXPECT_EQ(one_hot(no_indices({0}), 3).shape(), (Shape{0, 3}));
  check_error<ArgumentError>([] { one_hot(no_indices({0})); },
                             "one_hot: input is empty; num_classes must be given for it");
  check_error<IndexError>([] { gather(nothing({0, 2}), 0, integers({1, 2}, {0, 0})); },
                          "gather: index 0 is out of range for axis 0 of size 0; expected 0 to -1");
}

TEST(EmptyTensors, OrderJoinAndMoveNothing) {
  EXPECT_EQ(sort(nothing({0, 3}))[1].shape(), (Shape{0, 3}));
  EXPECT_EQ(sort(nothing({3, 0}))[0].shape(), (Shape{3, 0}));
  EXPECT_EQ(topk(floats({2}, {1, 2}), 0)[0].shape(), (Shape{0}));
  EXPECT_EQ(cumsum(nothing({2, 0}), 1).shape(), (Shape{2, 0}));
  EXPECT_EQ(values(cat(std::vector<Tensor>{nothing({0}), floats({1, 1}, {7})})), (Values{7}));
  EXPECT_EQ(cat(std::vector<Tensor>{nothing({2, 0}), nothing({2, 0})}, 1).shape(), (Shape{2, 0}));
  EXPECT_EQ(values(pad(nothing({0}), Ints{1, 1}, "constant", 5)), (Values{5, 5}));
  EXPECT_EQ(flip(nothing({0, 2}), Ints{0}).shape(), (Shape{0, 2}));
  EXPECT_EQ(roll(nothing({0, 2}), Ints{1}, Ints{0}).shape(), (Shape{0, 2}));
  EXPECT_EQ(tril(nothing({0, 3})).shape(), (Shape{0, 3}));
  EXPECT_EQ(diagonal(nothing({0, 3})).shape(), (Shape{0}));
}

TEST(EmptyTensors, LayersTakeEmptyBatches) {
  const Tensor image = nothing({0, 2, 4, 4});
  EXPECT_EQ(conv2d(image, nothing({3, 2, 3, 3}), nothing({3})).shape(), (Shape{0, 3, 2, 2}));
  EXPECT_EQ(max_pool2d(image, 2).shape(), (Shape{0, 2, 2, 2}));
  EXPECT_EQ(avg_pool2d(image, 2).shape(), (Shape{0, 2, 2, 2}));
  EXPECT_EQ(linear(nothing({0, 3}), nothing({2, 3}), nothing({2})).shape(), (Shape{0, 2}));
  EXPECT_EQ(layer_norm(nothing({0, 3}), 3).shape(), (Shape{0, 3}));
  EXPECT_EQ(group_norm(image, 2).shape(), image.shape());
  EXPECT_EQ(batch_norm(image, nothing({2}), nothing({2})).shape(), image.shape());
  EXPECT_EQ(bmm(nothing({0, 2, 3}), nothing({0, 3, 4})).shape(), (Shape{0, 2, 4}));
  EXPECT_TRUE(std::isnan(values(cross_entropy(nothing({0, 3}), no_indices({0})))[0]));
  EXPECT_EQ(values(cross_entropy(nothing({0, 3}), no_indices({0}), std::nullopt, -100, "sum")),
            (Values{0}));
}

TEST(EmptyTensors, GradientsOfEmptyBatchesAreZeros) {
  const Tensor weight = floats({3, 2, 1, 1}, {1, 2, 3, 4, 5, 6});
  set_requires_grad(weight, true);
  const Tensor loss = sum(max_pool2d(conv2d(nothing({0, 2, 4, 4}), weight), 2));
  EXPECT_EQ(values(gradients({&loss, 1}, {&weight, 1}, {})[0]), Values(6, 0));
  const Tensor rows = floats({2, 2}, {1, 2, 3, 4});
  set_requires_grad(rows, true);
  const Tensor taken = sum(embedding(no_indices({0}), rows));
  EXPECT_EQ(values(gradients({&taken, 1}, {&rows, 1}, {})[0]), Values(4, 0));
}

TEST(RankZero, OpsAlongAnAxisTakeANumber) {
  const Tensor number = floats({}, {3});
  EXPECT_EQ(values(sort(number)[0]), (Values{3}));
  EXPECT_EQ(values(topk(number, 1)[1]), (Values{0}));
  EXPECT_EQ(values(cumsum(number, 0)), (Values{3}));
  EXPECT_EQ(values(softmax(number, 0)), (Values{1}));
  EXPECT_EQ(values(argmax(number)), (Values{0}));
  EXPECT_EQ(values(flip(number, Ints{0})), (Values{3}));
  EXPECT_EQ(values(index_select(number, 0, integers({1}, {0}))), (Values{3}));
  EXPECT_EQ(values(gather(number, 0, integers({}, {0}))), (Values{3}));
  EXPECT_EQ(nonzero(number).shape(), (Shape{1, 0}));
  EXPECT_EQ(values(stack(std::vector<Tensor>{number, number})), (Values{3, 3}));
  EXPECT_EQ(values(var(number, std::nullopt, 0)), (Values{0}));
}

TEST(NumbersAsTensors, AreCopiedAndViewedLikeThem) {
  jit::initialize();
  const Scalar three(3.0);
  EXPECT_EQ(values(pad(three, Ints{})), (Values{3}));
  EXPECT_EQ(values(scatter(three, 0, no_indices({0}), 1.0)), (Values{3}));
  EXPECT_EQ(values(index_add(three, 0, integers({1}, {0}), three)), (Values{6}));
  EXPECT_EQ(values(scatter_add(three, 0, integers({}, {0}), three)), (Values{6}));
  EXPECT_EQ(values(as_strided_scatter(three, 2.0, Ints{}, Ints{})), (Values{2}));
  EXPECT_EQ(values(as_strided(three, Ints{2}, Ints{0})), (Values{3, 3}));
}

TEST(FarDiagonals, LeaveAllOrNothing) {
  const Tensor m = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  const Values all{1, 2, 3, 4, 5, 6};
  const Values none(6, 0);
  EXPECT_EQ(values(tril(m, INT64_MAX)), all);
  EXPECT_EQ(values(tril(m, INT64_MIN)), none);
  EXPECT_EQ(values(triu(m, INT64_MAX)), none);
  EXPECT_EQ(values(triu(m, INT64_MIN)), all);
  EXPECT_EQ(values(tril(m, -2)), none);
  EXPECT_EQ(values(triu(m, 3)), none);
  EXPECT_EQ(diagonal(m, INT64_MAX).shape(), (Shape{0}));
  EXPECT_EQ(diagonal(m, INT64_MIN).shape(), (Shape{0}));
}

TEST(Arange, CountsIntegersExactly) {
  jit::initialize();
  constexpr std::int64_t kLarge = std::int64_t{1} << 53;
  EXPECT_EQ(arange(kLarge + 1, kLarge + 4).shape(), (Shape{3}));
  EXPECT_EQ(arange(kLarge + 4, kLarge + 1, -1).shape(), (Shape{3}));
  EXPECT_EQ(arange(INT64_MAX - 3, INT64_MAX, 2).shape(), (Shape{2}));
  EXPECT_EQ(arange(0, 7, 3).shape(), (Shape{3}));
  EXPECT_EQ(arange(0, 6, 3).shape(), (Shape{2}));
  EXPECT_EQ(arange(0, -7, -3).shape(), (Shape{3}));
  EXPECT_EQ(arange(0, -6, -3).shape(), (Shape{2}));
  EXPECT_EQ(arange(0, 5, -1).shape(), (Shape{0}));
  EXPECT_EQ(arange(INT64_MIN, INT64_MAX, INT64_MAX).shape(), (Shape{3}));
}

}  // namespace
}  // namespace rondo
