// The texts of the errors of ops, in full; promotion of dtypes.
#include <gtest/gtest.h>

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
using test::numbers;

Tensor zeros_of(const Shape& shape) {
  jit::initialize();
  return zeros(shape, Dtype::float32);
}

TEST(OpErrors, IndicesOutOfRangeNameIndexAxisAndSize) {
  const Tensor m = zeros_of({3, 2});
  check_error<IndexError>([&] { gather(m, 0, integers({1, 2}, {0, 3})); },
                          "gather: index 3 is out of range for axis 0 of size 3; expected 0 to 2");
  check_error<IndexError>([&] { gather(m, 1, integers({1, 2}, {0, -1})); },
                          "gather: index -1 is out of range for axis 1 of size 2; expected 0 to 1");
  check_error<IndexError>([&] { scatter_add(m, 0, integers({1, 1}, {7}), zeros_of({1, 1})); },
                          "scatter_add: index 7 is out of range for axis 0 of size 3; expected 0 "
                          "to 2");
  check_error<IndexError>([&] { index_select(m, 1, integers({1}, {2})); },
                          "index_select: index 2 is out of range for axis 1 of size 2; expected 0 "
                          "to 1");
  check_error<IndexError>([&] { embedding(integers({1}, {3}), m); },
                          "embedding: index 3 is out of range for axis 0 of size 3; expected 0 to "
                          "2");
  const std::vector<Tensor> far{Tensor(), integers({1}, {-3})};
  check_error<IndexError>([&] { rondo::index(m, far); },
                          "index: index -3 is out of range for axis 1 of size 2; expected -2 "
                          "to 1");
  check_error<IndexError>([&] { one_hot(integers({1}, {4}), 3); },
                          "one_hot: class 4 is out of range for axis 1 of size 3; expected 0 to 2");
}

TEST(OpErrors, ClassesOutOfRangeAreErrorsAtTheCall) {
  const Tensor x = zeros_of({2, 3});
  check_error<IndexError>(
      [&] { cross_entropy(x, integers({2}, {0, 3})); },
      "cross_entropy: target 3 is out of range for axis 1 of size 3; expected 0 to "
      "2, or -100 to ignore it");
  check_error<ShapeError>([&] { cross_entropy(x, integers({3}, {0, 1, 2})); },
                          "cross_entropy: target is [3]; expected [2] for an input of [2, 3]");
  check_error<ArgumentError>([&] { mse_loss(x, x, "average"); },
                             "mse_loss: reduction is \"average\"; expected \"mean\", \"sum\" or "
                             "\"none\"");
  check_error<DtypeError>([&] { nll_loss(x, floats({2}, {0, 1})); },
                          "nll_loss: target is float32; expected int32 or int64");
}

TEST(OpErrors, DtypesAreNamed) {
  const Tensor x = zeros_of({2});
  check_error<DtypeError>([&] { where(x, x, x); }, "where: condition is float32; expected bool");
  check_error<DtypeError>([&] { masked_fill(integers({1}, {1}), bools({1}, {1}), 0.5); },
                          "masked_fill: value is float64, input is int64; it cannot hold a "
                          "fraction");
  check_error<DtypeError>([&] { bitwise_and(x, x); },
                          "bitwise_and: input is float32; expected bool, uint8, int8, int16, "
                          "int32 or int64");
  check_error<DtypeError>([&] { softmax(integers({2}, {1, 2}), 0); },
                          "softmax: input is int64; expected float16, bfloat16, float32 or "
                          "float64");
  check_error<DtypeError>(
      [&] {
        convolution(zeros_of({1, 1, 1, 1}), numbers({1, 1, 1, 1}, {1}), Ints{1, 1}, Ints{0, 0},
                    Ints{1, 1}, 1);
      },
      "convolution: input is float32, weight is float64; the dtypes must be "
      "equal");
}

TEST(OpErrors, ShapesAreNamed) {
  const Tensor m = zeros_of({3, 2});
  check_error<ShapeError>(
      [&] { m + zeros_of({4}); },
      "add: shapes do not broadcast: [3, 2] and [4]; sizes must be equal or 1 at axis 1");
  check_error<ShapeError>(
      [&] { linear(m, zeros_of({4, 3})); },
      "linear: input is [3, 2], weight is [4, 3]; expected [..., k] and [n, k]");
  check_error<ShapeError>([&] { layer_norm(m, 3); },
                          "layer_norm: input is [3, 2]; it must end in normalized_shape [3]");
  check_error<ShapeError>([&] { cat(std::vector<Tensor>{m, zeros_of({3, 3})}); },
                          "cat: tensor 0 is [3, 2], tensor 1 is [3, 3]; all sizes but that of axis "
                          "0 must be equal");
  check_error<ShapeError>([&] { conv2d(zeros_of({1, 3, 4, 4}), zeros_of({8, 2, 3, 3})); },
                          "conv2d: input has 3 channels, weight takes 2 in each of 1 groups; "
                          "the products must be equal");
  check_error<ShapeError>([&] { conv2d(zeros_of({1, 1, 2, 2}), zeros_of({1, 1, 3, 3})); },
                          "conv2d: input is [1, 1, 2, 2], a kernel of 3 reaches over 3; it "
                          "must fit into the padded input");
  check_error<ShapeError>([&] { max_pool2d(m, 2); },
                          "max_pool2d: input is [3, 2]; expected three or four axes");
  check_error<ShapeError>([&] { max_pool2d(zeros_of({1, 2, 0, 4}), 2, 2, 1); },
                          "max_pool2d: input is [1, 2, 0, 4]; a window of 2 does not fit");
  check_error<ArgumentError>(
      [&] { max_pool2d(zeros_of({1, 2, 4, 4}), 3, 1, 0, std::int64_t{1} << 62); },
      "max_pool2d: dilation is 4611686018427387904; it must be at most 2147483647");
  check_error<ArgumentError>(
      [&] { conv2d(zeros_of({1, 2, 4, 4}), zeros_of({2, 2, 1, 1}), std::nullopt, 1, INT64_MAX); },
      "conv2d: padding is 9223372036854775807; it must be at most 2147483647");
  check_error<ShapeError>([&] { max_pool2d(zeros_of({1, 2, 1, 1}), 2); },
                          "max_pool2d: input is [1, 2, 1, 1]; a window of 2 does not "
                          "fit");
  check_error<ShapeError>([&] { bmm(m, m); },
                          "bmm: input is [3, 2], mat2 is [3, 2]; expected [b, m, k] and [b, k, n]");
  check_error<ShapeError>([&] { pad(m, Ints{-3, 0}); },
                          "pad: axis 1 of shape [3, 2] loses 3 elements; it has fewer");
}

TEST(OpErrors, ArgumentsAreNamed) {
  const Tensor m = zeros_of({3, 2});
  check_error<ArgumentError>([&] { clamp(m); },
                             "clamp: min and max are None; at least one is required");
  check_error<ArgumentError>([&] { gelu(m, "fast"); },
                             "gelu: approximate is \"fast\"; expected \"none\" or \"tanh\"");
  check_error<ArgumentError>([&] { topk(m, 3); },
                             "topk: k is 3; axis 1 of shape [3, 2] has 2 elements");
  check_error<IndexError>([&] { sort(m, 2); },
                          "sort: axis out of range: 2; expected -2 to 1 for rank 2");
  check_error<ArgumentError>([&] { batch_norm(m, std::nullopt, std::nullopt); },
                             "batch_norm: running_mean or running_var is None; outside of training "
                             "both are required");
  check_error<ArgumentError>([&] { avg_pool2d(zeros_of({1, 4, 4}), 2, 2, 2); },
                             "avg_pool2d: padding is 2; it must be at most half of the kernel size "
                             "2");
  check_error<UnsupportedError>([&] { pad(m, Ints{1, 1}, "reflect"); },
                                "pad: mode is \"reflect\"; only \"constant\" is supported");
  check_error<ArgumentError>([&] { cat(std::vector<Tensor>{}); },
                             "cat: there are no tensors; at least one is required");
}

TEST(OpErrors, IndicesAndWhatTheyNameMustFit) {
  const Tensor three = integers({3}, {0, 0, 0});
  const Tensor number = floats({}, {1});
  check_error<ShapeError>([&] { index_select(number, 0, three); },
                          "index_select: index is [3], input has rank 0; it has exactly one slice");
  check_error<ShapeError>([&] { index_add(number, 0, three, number); },
                          "index_add: index is [3], input has rank 0; it has exactly one slice");
  check_error<ShapeError>([&] { embedding_backward(zeros_of({2, 4}), three, Shape{5, 4}); },
                          "embedding_backward: grad is [2, 4]; expected [3, 4]");
  check_error<ShapeError>([&] { nll_terms(number, integers({}, {0}), std::nullopt, -100); },
                          "nll_terms: input has rank 0; expected an axis of classes");
  check_error<ShapeError>(
      [&] { nll_terms_backward(zeros_of({1}), three, std::nullopt, Shape{3, 2}, -100); },
      "nll_terms_backward: grad is [1], target is [3]; the shapes must be equal");
  check_error<ShapeError>(
      [&] { multinomial_pick(zeros_of({2}), zeros({5, 3}, Dtype::float64), true); },
      "multinomial_pick: input is [2], uniform is [5, 3]; expected [..., n] and [..., k], with k "
      "above 0");
  check_error<ShapeError>([&] { multinomial_pick(number, zeros({3}, Dtype::float64), true); },
                          "multinomial_pick: input is [], uniform is [3]; expected [..., n] and "
                          "[..., k], with k above 0");
}

TEST(OpErrors, OperandsOfGradientsMustFitTheFirstOne) {
  const Tensor x = zeros_of({3});
  const Tensor rows = zeros_of({5, 3});
  check_error<ShapeError>([&] { softmax_backward(x, rows, 0); },
                          "softmax_backward: output is [5, 3]; it must broadcast to [3]");
  check_error<ShapeError>([&] { standardize_backward(x, rows, x, x, std::nullopt, 1e-5, Ints{0}); },
                          "standardize_backward: input is [5, 3]; it must broadcast to [3]");
  check_error<ShapeError>([&] { standardize_weight_backward(x, x, rows, x, 1e-5, Ints{0}); },
                          "standardize_weight_backward: mean is [5, 3]; it must broadcast to [3]");
  check_error<ShapeError>([&] { standardize(x, zeros_of({4}), std::nullopt, 1e-5, Ints{0}); },
                          "standardize: weight is [4]; it must broadcast to [3]");
}

TEST(OpErrors, NumbersThatAreTensorsHaveOneElement) {
  const Tensor many = zeros_of({3});
  check_error<ArgumentError>([&] { full(Shape{8}, many); },
                             "full: fill_value has shape [3]; expected one number");
  check_error<ArgumentError>([&] { arange(0, many, 1); },
                             "arange: end has shape [3]; expected one number");
  check_error<ArgumentError>([&] { linspace(many, 1, 4); },
                             "linspace: start has shape [3]; expected one number");
  check_error<ArgumentError>([&] { rand(Shape{8}, Dtype::float32, integers({2}, {1, 2}), 0); },
                             "rand: seed has shape [2]; expected one number");
  check_error<ArgumentError>([&] { var(many, 0, many); },
                             "var: correction has shape [3]; expected one number");
  EXPECT_EQ(full(Shape{2}, floats({1}, {3})).shape(), (Shape{2}));
}

TEST(OpErrors, ListsHoldTensors) {
  const std::vector<Tensor> holes{zeros_of({1}), Tensor()};
  check_error<ArgumentError>([&] { concatenate(std::vector<Tensor>{}, 0); },
                             "concatenate: there are no tensors; at least one is required");
  check_error<ArgumentError>([&] { cat(holes); }, "cat: tensor 1 is None; expected a tensor");
  check_error<ArgumentError>([&] { stack(holes); }, "stack: tensor 1 is None; expected a tensor");
  const std::vector<Tensor> mixed{zeros_of({1}), integers({1}, {1})};
  check_error<DtypeError>([&] { concatenate(mixed, 0); },
                          "concatenate: tensor 0 is float32, tensor 1 is int64; the dtypes must be "
                          "equal");
}

TEST(OpErrors, StepsInPlaceRefuseOtherShapes) {
  const Tensor p = zeros_of({3});
  check_error<ShapeError>([&] { sgd_step(p, zeros_of({2, 3}), 0.1); },
                          "sgd_step: param is [3], the operands broadcast to [2, 3]; the shapes "
                          "must be equal");
  set_requires_grad(p, true);
  check_error<ArgumentError>([&] { sgd_step(p, zeros_of({3}), 0.1); },
                             "sgd_step: a leaf that requires gradients is written in place; use "
                             "no_grad or a copy made with clone()");
}

struct Promotion {
  Dtype tensor;
  Scalar number;
  Dtype result;
};

TEST(OpPromotion, NumbersAreWeak) {
  jit::initialize();
  const std::vector<Promotion> table{
      {Dtype::int8, Scalar(1), Dtype::int8},         {Dtype::int8, Scalar(1.5), Dtype::float32},
      {Dtype::boolean, Scalar(1), Dtype::int64},     {Dtype::float16, Scalar(1.5), Dtype::float16},
      {Dtype::bfloat16, Scalar(1), Dtype::bfloat16}, {Dtype::float64, Scalar(1), Dtype::float64}};
  for (const Promotion& row : table) {
    const Tensor t = zeros({2}, row.tensor);
    EXPECT_EQ(dtype_name(add(t, row.number).dtype()), dtype_name(row.result))
        << dtype_name(row.tensor) << " and " << row.number.str();
  }
}

TEST(OpPromotion, TensorsPromoteByCategoryAndRank) {
  jit::initialize();
  const auto pair = [](const Shape& a, Dtype x, const Shape& b, Dtype y) {
    return dtype_name(add(zeros(a, x), zeros(b, y)).dtype());
  };
  EXPECT_EQ(pair({2}, Dtype::uint8, {2}, Dtype::int8), "int16");
  EXPECT_EQ(pair({2}, Dtype::float16, {2}, Dtype::bfloat16), "float32");
  EXPECT_EQ(pair({2}, Dtype::float16, {}, Dtype::float64), "float16");
  EXPECT_EQ(pair({2}, Dtype::int64, {}, Dtype::float16), "float16");
  EXPECT_EQ(pair({2}, Dtype::int32, {2}, Dtype::float16), "float16");
}

TEST(OpPromotion, FunctionsAndDivisionOfIntegersAreFloat32) {
  const Tensor i = integers({2}, {1, 4});
  EXPECT_EQ(sqrt(i).dtype(), Dtype::float32);
  EXPECT_EQ((i / i).dtype(), Dtype::float32);
  EXPECT_EQ(floor_divide(i, 2).dtype(), Dtype::int64);
  EXPECT_EQ(sum(bools({2}, {1, 1})).dtype(), Dtype::int64);
  EXPECT_EQ(cumsum(bools({2}, {1, 1}), 0).dtype(), Dtype::int64);
  EXPECT_EQ(floor(i).dtype(), Dtype::int64);
}

TEST(OpErrors, ViewsOfANumberReachOneElement) {
  const Tensor number = Tensor::number(Scalar(2.5));
  const Tensor three = as_strided(number, Ints{3}, Ints{0});
  EXPECT_EQ(three.shape(), (Shape{3}));
  EXPECT_EQ(sum(three).item().to_double(), 7.5);
  check_error<ShapeError>([&] { as_strided(number, Ints{2}, Ints{1}); },
                          "as_strided: shape [2] with strides [1] at 0 reaches elements 0 to 1; "
                          "the storage has 1");
}

TEST(OpErrors, SizesAndNumbersThatOverflowAreRefused) {
  constexpr std::int64_t kMost = INT64_MAX;
  const Tensor x = zeros_of({3});
  check_error<ShapeError>([&] { reshape(x, Ints{3, kMost, -1}); },
                          "reshape: [3] to [3, 9223372036854775807, -1]; the sizes are too large");
  check_error<ShapeError>([&] { expand(x, Ints{kMost, kMost, 3}); },
                          "expand: too many elements: [9223372036854775807, 9223372036854775807, "
                          "3]; the count must stay below 2^59");
  check_error<ShapeError>(
      [&] { as_strided(x, Ints{3, 3}, Ints{kMost, kMost}); },
      "as_strided: shape [3, 3] with strides [9223372036854775807, 9223372036854775807] at 0 "
      "reaches elements 0 to 0; the storage has 3");
  check_error<ShapeError>([&] { as_strided(x, Ints{1, 1}, Ints{1}); },
                          "as_strided: 2 sizes and 1 strides; as many of both are required");
  check_error<ArgumentError>([&] { pad(x, Ints{kMost, 1}); },
                             "pad: 9223372036854775807 elements; at most 2^59");
  check_error<ArgumentError>([&] { arange(0, 1e300, 1); },
                             "arange: from 0 to 1e+300 by 1; the count must be below 2^59");
  check_error<ArgumentError>([&] { randint(INT64_MIN, kMost, Shape{2}); },
                             "randint: low is -9223372036854775808, high is 9223372036854775807; "
                             "they must be less than 2^63 apart");
  const Tensor tall = expand(zeros_of({1, 1, 1, 1}), Shape{1, 1, (std::int64_t{1} << 33) + 3, 1});
  check_error<ShapeError>(
      [&] {
        convolution(zeros_of({1, 1, 8, 8}), tall, Ints{1, 1}, Ints{0, 0}, Ints{INT32_MAX, 1}, 1);
      },
      "convolution: weight is [1, 1, 8589934595, 1]; its kernel must be at most 2147483647 along "
      "each axis");
  EXPECT_EQ(slice(x, 0, 0, std::nullopt, kMost).shape(), (Shape{1}));
  EXPECT_EQ(slice(x, 0, std::nullopt, std::nullopt, INT64_MIN).shape(), (Shape{1}));
  EXPECT_EQ(roll(x, Ints{INT64_MIN}, Ints{0}).shape(), (Shape{3}));
}

}  // namespace
}  // namespace rondo
