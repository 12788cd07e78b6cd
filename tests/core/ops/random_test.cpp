// Random ops: their distribution, and that seed and offset determine every element.
#include "core/ops/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/autograd/backward.h"
#include "core/base/error.h"
#include "core/op/generator.h"
#include "core/ops/all.h"
#include "tests/support/check_error.h"
#include "tests/support/check_op.h"
#include "tests/support/settings.h"
#include "tests/support/tensors.h"

namespace rondo {
namespace {

using test::expect_same;
using test::numbers;
using test::values;
using Values = std::vector<double>;

class RandomOpsTest : public testing::Test {
 protected:
  RandomOpsTest() {
    jit::initialize();
    default_generator().seed(42);
  }
};

double mean_of(const Values& v) {
  return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
}
double variance_of(const Values& v) {
  const double center = mean_of(v);
  double sum = 0;
  for (const double x : v) {
    sum += (x - center) * (x - center);
  }
  return sum / static_cast<double>(v.size());
}

TEST_F(RandomOpsTest, RandIsUniformInEveryDtype) {
  for (const Dtype dtype : {Dtype::float16, Dtype::bfloat16, Dtype::float32, Dtype::float64}) {
    const Values v = values(rand(Ints{20000}, dtype));
    EXPECT_NEAR(mean_of(v), 0.5, 0.01) << dtype_name(dtype);
    EXPECT_NEAR(variance_of(v), 1.0 / 12, 0.005) << dtype_name(dtype);
    EXPECT_GE(*std::min_element(v.begin(), v.end()), 0.0);
    EXPECT_LT(*std::max_element(v.begin(), v.end()), 1.0);
  }
}

TEST_F(RandomOpsTest, RandnIsNormal) {
  for (const Dtype dtype : {Dtype::float16, Dtype::bfloat16, Dtype::float32, Dtype::float64}) {
    const Values v = values(randn(Ints{200, 100}, dtype));
    EXPECT_NEAR(mean_of(v), 0.0, 0.03) << dtype_name(dtype);
    EXPECT_NEAR(variance_of(v), 1.0, 0.04) << dtype_name(dtype);
  }
}

TEST_F(RandomOpsTest, RandintTakesEveryNumberOfItsRange) {
  const Values v = values(randint(-2, 3, Ints{5000}));
  for (int i = -2; i < 3; ++i) {
    EXPECT_NEAR(static_cast<double>(std::count(v.begin(), v.end(), i)), 1000.0, 150.0) << i;
  }
  check_error<ArgumentError>([] { randint(3, 3, Ints{2}); },
                             "randint: low is 3, high is 3; low must be less");
}

TEST_F(RandomOpsTest, SeedAndOffsetDetermineTheResult) {
  const Tensor a = rand(Ints{5}, Dtype::float32, 7, 3);
  expect_same(rand(Ints{5}, Dtype::float32, 7, 3), a, "again");
  expect_same(reshape(rand(Ints{5, 1}, Dtype::float32, 7, 3), Shape{5}), a, "another shape");
  EXPECT_NE(values(rand(Ints{5}, Dtype::float32, 7, 4)), values(a));
  EXPECT_NE(values(rand(Ints{5}, Dtype::float32, 8, 3)), values(a));
}

TEST_F(RandomOpsTest, EveryCallDrawsAnewAndTheSeedRepeatsThemAll) {
  const Values a = values(rand(Ints{4}));
  const Values b = values(rand(Ints{4}));
  EXPECT_NE(a, b);
  default_generator().seed(42);
  EXPECT_EQ(values(rand(Ints{4})), a);
  EXPECT_EQ(values(rand(Ints{4})), b);
}

TEST_F(RandomOpsTest, ModesAndThreadsDrawTheSame) {
  const auto draw = [](jit::Mode mode, int threads) {
    const ModeSetting modes(mode);
    const ThreadsSetting setting(threads);
    return values(randn(Ints{70000}, Dtype::float32, 1, 2));
  };
  const Values plain = draw(jit::Mode::interpreted, 1);
  EXPECT_EQ(draw(jit::Mode::interpreted, 3), plain);
  EXPECT_EQ(draw(jit::Mode::compiled, 2), plain);
}

TEST_F(RandomOpsTest, BernoulliFollowsItsProbabilities) {
  const Tensor p = expand(numbers({3, 1}, {0.0, 0.25, 1.0}), Shape{3, 4000});
  const Tensor hits = bernoulli(p);
  const Values rates = values(mean(hits, 1));
  EXPECT_EQ(rates[0], 0.0);
  EXPECT_NEAR(rates[1], 0.25, 0.03);
  EXPECT_EQ(rates[2], 1.0);
  EXPECT_EQ(hits.dtype(), Dtype::float64);
}

TEST_F(RandomOpsTest, DropoutScalesWhatItKeepsAndItsGradientHasTheSameMask) {
  const Tensor x = full(Ints{1000}, 2.0, Dtype::float64);
  set_requires_grad(x, true);
  const Tensor y = dropout(x, 0.25);
  const Tensor loss = sum(y);
  const Values g = values(gradients({&loss, 1}, {&x, 1}, {})[0]);
  const Values v = values(y);
  for (std::size_t i = 0; i < v.size(); ++i) {
    EXPECT_TRUE(v[i] == 0.0 || test::is_near(v[i], 2.0 / 0.75, 1e-15));
    EXPECT_TRUE(test::is_near(g[i], v[i] / 2, 1e-15)) << i;
  }
  EXPECT_NEAR(static_cast<double>(std::count(v.begin(), v.end(), 0.0)), 250.0, 60.0);
}

TEST_F(RandomOpsTest, DropoutOfAViewHasTheMaskOfItsCopy) {
  const Tensor x = test::uniform({3, 5}, 1, 2);
  const Tensor turned = transpose(x, 0, 1);
  expect_same(dropout(turned, 0.5, 1, 1), dropout(clone(turned), 0.5, 1, 1), "a view");
}

TEST_F(RandomOpsTest, DropoutAtItsEndsAndBeyond) {
  const Tensor x = test::uniform({4}, 1, 2);
  EXPECT_EQ(values(dropout(x, 1.0)), Values(4, 0.0));
  EXPECT_EQ(values(dropout(x, 0.0)), values(x));
  check_error<ArgumentError>([&] { dropout(x, 1.5); }, "dropout: p is 1.5; it must be from 0 to 1");
}

TEST_F(RandomOpsTest, RandpermHoldsEveryNumberOnce) {
  Values v = values(randperm(100));
  EXPECT_FALSE(std::is_sorted(v.begin(), v.end()));
  std::sort(v.begin(), v.end());
  for (std::size_t i = 0; i < v.size(); ++i) {
    EXPECT_EQ(v[i], static_cast<double>(i));
  }
  EXPECT_EQ(values(randperm(0)), Values{});
}

TEST_F(RandomOpsTest, MultinomialFollowsTheWeightsOfEachRow) {
  const Tensor weights = numbers({2, 3}, {1, 0, 3, 5, 5, 0});
  const Tensor drawn = multinomial(weights, 4000, true);
  EXPECT_EQ(drawn.shape(), (Shape{2, 4000}));
  const Values rows = values(drawn);
  EXPECT_NEAR(static_cast<double>(std::count(rows.begin(), rows.begin() + 4000, 2.0)), 3000.0,
              150.0);
  EXPECT_EQ(std::count(rows.begin(), rows.begin() + 4000, 1.0), 0);
  EXPECT_EQ(std::count(rows.begin() + 4000, rows.end(), 2.0), 0);
}

TEST_F(RandomOpsTest, MultinomialWithoutReplacementDrawsNothingTwice) {
  for (int round = 0; round < 20; ++round) {
    Values v = values(multinomial(numbers({4}, {1, 0, 2, 3}), 3));
    std::sort(v.begin(), v.end());
    EXPECT_EQ(v, (Values{0, 2, 3}));
  }
}

TEST_F(RandomOpsTest, MultinomialPickTakesTheFirstPlaceBeyondThePart) {
  const Tensor weights = numbers({3}, {1, 2, 1});
  const Tensor parts = numbers({5}, {0.0, 0.24, 0.25, 0.74, 0.999});
  EXPECT_EQ(values(multinomial_pick(weights, parts, true)), (Values{0, 0, 1, 1, 2}));
}

TEST_F(RandomOpsTest, MultinomialSaysWhatIsWrongWithTheWeights) {
  check_error<ArgumentError>([] { multinomial(numbers({2}, {1, -1}), 1); },
                             "multinomial: weight 1 of row 0 is -1; weights must be finite and not "
                             "negative");
  check_error<ArgumentError>([] { multinomial(numbers({2, 1}, {1, 0}), 1); },
                             "multinomial: row 1 has no positive weight; one is required");
  check_error<ArgumentError>([] { multinomial(numbers({3}, {1, 0, 1}), 3); },
                             "multinomial: 3 samples without replacement of row 0; it has 2 "
                             "positive weights");
  check_error<ArgumentError>([] { multinomial(numbers({3}, {1, 0, 1}), 0); },
                             "multinomial: num_samples is 0; it must be positive");
}

}  // namespace
}  // namespace rondo
