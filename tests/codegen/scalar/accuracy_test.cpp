// Functions against MPFR: over all magnitudes, near the places where they are hard, and on
// specials.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "tests/codegen/scalar/apply.h"
#include "tests/codegen/scalar/reference.h"
#include "tests/codegen/scalar/samples.h"

namespace rondo::codegen {
namespace {

using Reference1 = int (*)(mpfr_t, mpfr_srcptr, mpfr_rnd_t);
using Reference2 = int (*)(mpfr_t, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

int sigmoid(mpfr_t out, mpfr_srcptr x, mpfr_rnd_t rounding) {
  mpfr_neg(out, x, rounding);
  mpfr_exp(out, out, rounding);
  mpfr_add_ui(out, out, 1, rounding);
  return mpfr_ui_div(out, 1, out, rounding);
}

/// As IEEE 754 has it, for MPFR's own gives another sign at -0.
int rsqrt(mpfr_t out, mpfr_srcptr x, mpfr_rnd_t rounding) {
  mpfr_sqrt(out, x, rounding);
  return mpfr_ui_div(out, 1, out, rounding);
}

double double_sigmoid(double x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}

double double_rsqrt(double x) {
  return 1 / std::sqrt(x);
}

/// A function, its references (that of the C library in double for floats) and by how many units in
/// the last place it may miss.
struct Case {
  ScalarOp op;
  Reference1 reference;
  double (*in_double)(double);
  double bound;
};

std::string name_of(const testing::TestParamInfo<Case>& info) {
  return std::string(scalar_op_info(info.param.op).name);
}

class Accuracy : public testing::TestWithParam<Case> {};

/// Numbers of every exponent, of moderate size, around 1 and multiples of pi / 2, and specials.
template <class T>
std::vector<T> samples(int count) {
  std::mt19937_64 bits(static_cast<std::uint64_t>(count));
  std::vector<T> result = special_values<T>();
  for (int i = 0; i < count; ++i) {
    const double unit = static_cast<double>(bits() >> 11) * 0x1p-52 - 1.0;
    switch (i % 6) {
      case 0: {
        const int range = std::numeric_limits<T>::max_exponent;
        const int exponent = static_cast<int>(bits() % static_cast<unsigned>(2 * range + 60));
        const double size = std::ldexp(1.5 + unit / 2, exponent - range - 58);
        result.push_back(static_cast<T>(bits() % 2 == 0 ? size : -size));
        break;
      }
      case 1:
        result.push_back(static_cast<T>(unit * 2));
        break;
      case 2:
        result.push_back(static_cast<T>(unit * 30));
        break;
      case 3:
        result.push_back(static_cast<T>(unit * (sizeof(T) == 4 ? 110 : 760)));
        break;
      case 4:
        result.push_back(
            static_cast<T>(1 + unit * std::ldexp(1.0, -static_cast<int>(bits() % 30))));
        break;
      default:
        result.push_back(static_cast<T>(static_cast<double>(bits() % 100000) * M_PI_2));
    }
  }
  return result;
}

template <class T>
void check_accuracy(const Case& tested) {
  const std::vector<T> inputs = samples<T>(60000);
  const std::vector<T> outputs = apply<T>(tested.op, inputs);
  double worst = 0;
  std::size_t at = 0;
  Precise exact;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Precise x(static_cast<double>(inputs[i]));
    tested.reference(exact.get(), x.get(), MPFR_RNDN);
    const double distance = ulps(outputs[i], exact);
    if (distance > worst) {
      worst = distance;
      at = i;
    }
  }
  EXPECT_LE(worst, tested.bound) << "at " << inputs[at] << ": " << outputs[at];
  testing::Test::RecordProperty(sizeof(T) == 4 ? "f32_thousandths" : "f64_thousandths",
                                static_cast<int>(std::min(worst, 1e6) * 1000));
}

TEST_P(Accuracy, OfFloat32IsWithinItsBoundOfMpfr) {
  check_accuracy<float>(GetParam());
}
TEST_P(Accuracy, OfFloat64IsWithinItsBoundOfMpfr) {
  check_accuracy<double>(GetParam());
}

/// Every 1021st float of all there are, against double, whose error is 2^-29 of a unit.
TEST_P(Accuracy, OfFloat32IsWithinItsBoundOfDoubleOnFourMillionNumbers) {
  constexpr std::uint64_t kStep = 1021;
  constexpr std::size_t kPiece = 1 << 16;
  double worst = 0;
  float at = 0;
  for (std::uint64_t pattern = 0; pattern < std::uint64_t{1} << 32;) {
    std::vector<float> inputs;
    for (; inputs.size() < kPiece && pattern < std::uint64_t{1} << 32; pattern += kStep) {
      inputs.push_back(__builtin_bit_cast(float, static_cast<std::uint32_t>(pattern)));
    }
    const std::vector<float> outputs = apply<float>(GetParam().op, inputs);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const double exact = GetParam().in_double(double{inputs[i]});
      if (canonical_bits(static_cast<float>(exact)) == canonical_bits(outputs[i])) {
        continue;
      }
      const int place = std::max(std::ilogb(exact) - 23, -149);
      const double distance = std::fabs(double{outputs[i]} - exact) * std::ldexp(1.0, -place);
      if (!(distance <= worst)) {
        worst = std::isnan(distance) ? 1e9 : distance;
        at = inputs[i];
      }
    }
  }
  EXPECT_LE(worst, GetParam().bound) << "at " << at;
}

const Case kCases[] = {
    {ScalarOp::exp, mpfr_exp, std::exp, 1},       {ScalarOp::log, mpfr_log, std::log, 1},
    {ScalarOp::tanh, mpfr_tanh, std::tanh, 1},    {ScalarOp::sigmoid, sigmoid, double_sigmoid, 1},
    {ScalarOp::erf, mpfr_erf, std::erf, 1},       {ScalarOp::sin, mpfr_sin, std::sin, 1},
    {ScalarOp::cos, mpfr_cos, std::cos, 1},       {ScalarOp::tan, mpfr_tan, std::tan, 1},
    {ScalarOp::exp2, mpfr_exp2, std::exp2, 1},    {ScalarOp::log2, mpfr_log2, std::log2, 1},
    {ScalarOp::log10, mpfr_log10, std::log10, 1}, {ScalarOp::asin, mpfr_asin, std::asin, 1},
    {ScalarOp::acos, mpfr_acos, std::acos, 1},    {ScalarOp::atan, mpfr_atan, std::atan, 1},
    {ScalarOp::expm1, mpfr_expm1, std::expm1, 2}, {ScalarOp::log1p, mpfr_log1p, std::log1p, 2},
    {ScalarOp::sinh, mpfr_sinh, std::sinh, 2},    {ScalarOp::cosh, mpfr_cosh, std::cosh, 2},
    {ScalarOp::rsqrt, rsqrt, double_rsqrt, 2},
};
INSTANTIATE_TEST_SUITE_P(Functions, Accuracy, testing::ValuesIn(kCases), name_of);

template <class T>
void check_pairs(ScalarOp op, Reference2 reference, const std::vector<T>& a,
                 const std::vector<T>& b, double bound) {
  const std::vector<T> outputs = apply<T>(op, a, b);
  double worst = 0;
  std::size_t at = 0;
  Precise exact;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const Precise x(static_cast<double>(a[i]));
    const Precise y(static_cast<double>(b[i]));
    reference(exact.get(), x.get(), y.get(), MPFR_RNDN);
    const double distance = ulps(outputs[i], exact);
    if (distance > worst) {
      worst = distance;
      at = i;
    }
  }
  EXPECT_LE(worst, bound) << "at " << a[at] << ", " << b[at] << ": " << outputs[at];
}

/// All pairs of special values.
template <class T>
void check_special_pairs(ScalarOp op, Reference2 reference, double bound) {
  std::vector<T> a;
  std::vector<T> b;
  for (const T x : special_values<T>()) {
    for (const T y : special_values<T>()) {
      a.push_back(x);
      b.push_back(y);
    }
  }
  check_pairs<T>(op, reference, a, b, bound);
}

/// Bases whose powers neither overflow nor vanish, and pairs of any kind.
template <class T>
void check_powers() {
  std::mt19937_64 bits(5);
  std::vector<T> base;
  std::vector<T> exponent;
  const double most = sizeof(T) == 4 ? 88 : 709;
  for (int i = 0; i < 60000; ++i) {
    const double unit = static_cast<double>(bits() >> 11) * 0x1p-52 - 1.0;
    const T x = i % 3 == 0 ? random_value<T>(bits)
                           : static_cast<T>(std::exp2(unit * (i % 3 == 1 ? 1.0 : 100.0)));
    const double log = std::log(std::fabs(static_cast<double>(x)));
    base.push_back(x);
    exponent.push_back(
        i % 5 == 0
            ? random_value<T>(bits)
            : static_cast<T>((static_cast<double>(bits() >> 11) * 0x1p-52 - 1) * most / log));
  }
  check_pairs<T>(ScalarOp::pow, mpfr_pow, base, exponent, 1);
}

TEST(Accuracy, OfPowersIsWithinOneUnitOfMpfr) {
  check_powers<float>();
  check_powers<double>();
}

TEST(Accuracy, OfPowersHoldsOnAllPairsOfSpecials) {
  check_special_pairs<float>(ScalarOp::pow, mpfr_pow, 1);
  check_special_pairs<double>(ScalarOp::pow, mpfr_pow, 1);
}

template <class T>
void check_angles() {
  std::mt19937_64 bits(6);
  std::vector<T> y;
  std::vector<T> x;
  for (int i = 0; i < 60000; ++i) {
    y.push_back(random_value<T>(bits));
    x.push_back(i % 2 == 0
                    ? random_value<T>(bits)
                    : y.back() * static_cast<T>(static_cast<double>(bits() >> 11) * 0x1p-51));
  }
  check_pairs<T>(ScalarOp::atan2, mpfr_atan2, y, x, 1.5);
}

TEST(Accuracy, OfAnglesIsWithinOneAndAHalfUnitsOfMpfr) {
  check_angles<float>();
  check_angles<double>();
  check_special_pairs<float>(ScalarOp::atan2, mpfr_atan2, 1.5);
  check_special_pairs<double>(ScalarOp::atan2, mpfr_atan2, 1.5);
}

TEST(Accuracy, KeepsWhatIsExact) {
  expect_same_bits(apply<float>(ScalarOp::exp2, F32{-149, -126, -3, 0, 10, 127}),
                   F32{0x1p-149F, 0x1p-126F, 0.125F, 1, 1024, 0x1p127F});
  expect_same_bits(apply<double>(ScalarOp::log2, F64{5e-324, 0.125, 1, 1024}),
                   F64{-1074, -3, 0, 10});
  expect_same_bits(apply<double>(ScalarOp::log10, F64{1, 10, 1000, 1e15, 1e22}),
                   F64{0, 1, 3, 15, 22});
  expect_same_bits(
      apply<double>(ScalarOp::pow, F64{3, -3, 10, 2, 49, 0.5}, F64{2, 3, 3, -1074, 0.5, 2}),
      F64{9, -27, 1000, 5e-324, 7, 0.25});
  expect_same_bits(apply<float>(ScalarOp::pow, F32{3, -3, 10, 49}, F32{2, 3, 3, 0.5F}),
                   F32{9, -27, 1000, 7});
  expect_same_bits(apply<double>(ScalarOp::exp, F64{0, -0.0}), F64{1, 1});
  expect_same_bits(apply<double>(ScalarOp::sigmoid, F64{0}), F64{0.5});
  expect_same_bits(apply<double>(ScalarOp::cos, F64{0}), F64{1});
}

}  // namespace
}  // namespace rondo::codegen
