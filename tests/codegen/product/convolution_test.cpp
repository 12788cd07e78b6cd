#include "codegen/product/convolution.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/base/error.h"
#include "tests/codegen/product/convolution_case.h"
#include "tests/support/check_error.h"
#include "tests/support/same_bits.h"
#include "tests/support/settings.h"

namespace rondo::codegen {
namespace {

template <class E>
Convolution typed(Convolution c) {
  c.dtype = sizeof(E) == 8 ? Dtype::float64 : Dtype::float32;
  return c;
}

template <class E>
std::vector<E> run_forward(const Convolution& c, const ConvolutionOperands<E>& o) {
  std::vector<E> result(o.gradient.values.size(), E{77});
  run_convolution(typed<E>(c), o.input.values.data(), o.weight.values.data(), result.data());
  return result;
}
template <class E>
std::vector<E> run_input_gradient(const Convolution& c, const ConvolutionOperands<E>& o) {
  std::vector<E> result(o.input.values.size(), E{77});
  run_convolution_input_gradient(typed<E>(c), o.gradient.values.data(), o.weight.values.data(),
                                 result.data());
  return result;
}
template <class E>
std::vector<E> run_weight_gradient(const Convolution& c, const ConvolutionOperands<E>& o) {
  std::vector<E> result(o.weight.values.size(), E{77});
  run_convolution_weight_gradient(typed<E>(c), o.input.values.data(), o.gradient.values.data(),
                                  result.data());
  return result;
}

template <class E>
void check_case(const Convolution& c, const ConvolutionOperands<E>& o) {
  EXPECT_EQ(count_different(run_forward(c, o), canonical::convolution<E>(c, o.input, o.weight)), 0U)
      << text(c);
  EXPECT_EQ(count_different(run_input_gradient(c, o),
                            canonical::convolution_input_gradient<E>(c, o.gradient, o.weight)),
            0U)
      << "input gradient, " << text(c);
  EXPECT_EQ(count_different(run_weight_gradient(c, o),
                            canonical::convolution_weight_gradient<E>(c, o.input, o.gradient)),
            0U)
      << "weight gradient, " << text(c);
}

template <class E>
class ConvolutionOf : public testing::Test {};
using FloatTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(ConvolutionOf, FloatTypes);

TYPED_TEST(ConvolutionOf, HasTheCanonicalBitsAndSoHaveItsGradients) {
  for (const Isa isa : available_isas()) {
    const IsaSetting isa_setting(isa);
    for (const Convolution& c : convolution_cases()) {
      const ConvolutionOperands<TypeParam> operands(c);
      const ThreadsSetting setting(1);
      check_case(c, operands);
    }
  }
}

TYPED_TEST(ConvolutionOf, HasTheSameBitsForAnyThreads) {
  for (const Convolution& c : {make_convolution(5, 1, 8, 30, 14, 14, 3, 3, 1, 1, 1),
                               make_convolution(1, 1, 20, 64, 20, 20, 3, 3, 1, 1, 1),
                               make_convolution(1, 1, 64, 70, 6, 6, 3, 3, 1, 1, 1),
                               make_convolution(2, 4, 32, 32, 20, 20, 5, 5, 2, 2, 1),
                               make_convolution(40, 1, 3, 8, 20, 20, 3, 3, 1, 1, 1)}) {
    const ConvolutionOperands<TypeParam> operands(c);
    for (const int threads : {2, 3}) {
      const ThreadsSetting setting(threads);
      check_case(c, operands);
    }
  }
}

TYPED_TEST(ConvolutionOf, GivesAnImageTheSameBitsAloneAndAmongOthers) {
  for (Convolution c : {make_convolution(20, 1, 30, 16, 9, 9, 3, 3, 1, 1, 1),
                        make_convolution(20, 1, 30, 16, 9, 9, 3, 3, 2, 1, 1)}) {
    const ConvolutionOperands<TypeParam> o(c);
    const auto all = run_forward(c, o);
    const auto all_gradients = run_input_gradient(c, o);
    const auto size = all.size() / 20;
    const auto input_size = all_gradients.size() / 20;
    c.batch = 1;
    std::vector<TypeParam> alone(size);
    run_convolution(typed<TypeParam>(c), o.input.values.data() + 7 * input_size,
                    o.weight.values.data(), alone.data());
    std::vector<TypeParam> expected(all.begin() + static_cast<std::ptrdiff_t>(7 * size),
                                    all.begin() + static_cast<std::ptrdiff_t>(8 * size));
    EXPECT_EQ(count_different(alone, expected), 0U);
    alone.resize(input_size);
    run_convolution_input_gradient(typed<TypeParam>(c), o.gradient.values.data() + 7 * size,
                                   o.weight.values.data(), alone.data());
    expected.assign(all_gradients.begin() + static_cast<std::ptrdiff_t>(7 * input_size),
                    all_gradients.begin() + static_cast<std::ptrdiff_t>(8 * input_size));
    EXPECT_EQ(count_different(alone, expected), 0U);
  }
}

TYPED_TEST(ConvolutionOf, MultipliesThePaddingAndKeepsInfinitiesAndSignedZeros) {
  using T = TypeParam;
  for (const Index stride : {1, 2}) {
    const Convolution c = make_convolution(2, 1, 3, 4, 6, 6, 3, 3, stride, 1, 1);
    ConvolutionOperands<T> o(c);
    const T tiny = std::numeric_limits<T>::min();
    for (std::size_t i = 0; i < o.input.values.size(); i += 5) {
      o.input.values[i] = i % 2 == 0 ? T{-0.0} : -tiny;
    }
    for (std::size_t i = 0; i < o.gradient.values.size(); i += 7) {
      o.gradient.values[i] = i % 2 == 0 ? T{-0.0} : -tiny;
    }
    o.weight.values[0] = std::numeric_limits<T>::infinity();  // times the padding: NaN
    o.weight.values[40] = tiny / 4;
    o.input.values[50] = -std::numeric_limits<T>::infinity();
    check_case(c, o);
  }
}

TEST(Convolution, OfNothingIsZeroOrNothing) {
  Convolution c = make_convolution(0, 1, 3, 4, 6, 6, 3, 3, 1, 1, 1);
  const ConvolutionOperands<float> o(c);
  EXPECT_TRUE(run_forward(c, o).empty());
  EXPECT_TRUE(run_input_gradient(c, o).empty());
  EXPECT_EQ(count_different(run_weight_gradient(c, o), std::vector<float>(108, 0.0F)), 0U);
}

TEST(Convolution, OfNoChannelsIsZeroAndItsGradientsAreNothing) {
  for (const Convolution& c : {make_convolution(2, 1, 0, 3, 5, 5, 2, 2, 1, 0, 1),
                               make_convolution(2, 1, 3, 0, 5, 5, 2, 2, 1, 0, 1)}) {
    const ConvolutionOperands<float> o(c);
    EXPECT_EQ(run_forward(c, o), std::vector<float>(o.gradient.values.size(), 0.0F)) << text(c);
    EXPECT_EQ(run_input_gradient(c, o), std::vector<float>(o.input.values.size(), 0.0F)) << text(c);
    EXPECT_TRUE(run_weight_gradient(c, o).empty()) << text(c);
  }
}

TEST(Convolution, RejectsIntegers) {
  Convolution c;
  c.dtype = Dtype::int32;
  const auto run = [&] { run_convolution(c, nullptr, nullptr, nullptr); };
  check_error<DtypeError>(
      run, "convolution: dtype is int32; expected float16, bfloat16, float32 or float64");
}

}  // namespace
}  // namespace rondo::codegen
