// Cases: functions of the mathematics and trigonometry families, activations.
#include <cmath>
#include <numbers>

#include "tests/core/ops/cases.h"

namespace rondo::test {
namespace {

/// An activation with numbers after its input.
OpCase with_numbers(const char* op, const Args& rest, double (*f)(const Values&)) {
  OpCase c{.op = op};
  c.args = [rest] {
    Args args{numbers({2, 3}, {-3.0, -1.25, -0.5, 0.75, 1.5, 2.75})};
    args.insert(args.end(), rest.begin(), rest.end());
    return args;
  };
  c.scalar = f;
  return c;
}

/// The gradient of an activation as an op of its own, against its own differences.
OpCase slope(const char* op, const Args& rest) {
  OpCase c{.op = op};
  c.args = [rest] {
    Args args{uniform({2, 3}, 0.5, 1.5), numbers({2, 3}, {-3.0, -1.25, -0.5, 0.75, 1.5, 2.75})};
    args.insert(args.end(), rest.begin(), rest.end());
    return args;
  };
  return c;
}

/// The same, where it takes the activation's result, whose square overflows far outside of [-1, 1].
OpCase slope_at_result(const char* op, double (*f)(const Values&)) {
  OpCase c = slope(op, {});
  c.scalar = f;
  c.special = false;
  return c;
}

double sigmoid(double x) {
  return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}
double softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

}  // namespace

std::vector<OpCase> math_cases() {
  std::vector<OpCase> all{
      unary("exp", std::exp, -3, 3),
      unary("exp2", std::exp2, -3, 3),
      unary("expm1", std::expm1, -1, 1),
      unary("log", std::log, 0.1, 4),
      unary("log2", std::log2, 0.1, 4),
      unary("log10", std::log10, 0.1, 4),
      unary("log1p", std::log1p, -0.5, 2),
      unary("sqrt", std::sqrt, 0.1, 4),
      unary(
          "rsqrt", [](double x) { return 1 / std::sqrt(x); }, 0.1, 4),
      unary(
          "reciprocal", [](double x) { return 1 / x; }, 0.5, 4),
      unary(
          "square", [](double x) { return x * x; }, -2, 2),
      unary("sinh", std::sinh, -2, 2),
      unary("cosh", std::cosh, -2, 2),
      unary("tanh", std::tanh, -2, 2),
      unary("erf", std::erf, -2, 2),
      unary("sin", std::sin, -3, 3),
      unary("cos", std::cos, -3, 3),
      unary("tan", std::tan, -1, 1),
      unary("asin", std::asin, -0.8, 0.8),
      unary("acos", std::acos, -0.8, 0.8),
      unary("atan", std::atan, -2, 2),
      {.op = "atan2",
       .args = [] { return Args{uniform({2, 3}, 0.5, 2), uniform({3}, -2, -0.5, 2)}; },
       .scalar = [](const Values& v) { return std::atan2(v[0], v[1]); }},
      {.op = "pow",
       .label = "tensors",
       .args = [] { return Args{uniform({2, 3}, 0.5, 2), uniform({3}, -2, 2, 2)}; },
       .scalar = [](const Values& v) { return std::pow(v[0], v[1]); }},
      {.op = "pow",
       .label = "square",
       .args = [] { return Args{uniform({2, 3}, -2, 2), 2}; },
       .scalar = [](const Values& v) { return v[0] * v[0]; },
       .integers = true},
      {.op = "pow",
       .label = "fraction",
       .args = [] { return Args{uniform({2, 3}, 0.5, 2), 1.5}; },
       .scalar = [](const Values& v) { return std::pow(v[0], 1.5); }}};
  return all;
}

std::vector<OpCase> activation_cases() {
  OpCase relu = with_numbers(
      "relu", {}, [](const Values& v) { return std::isnan(v[0]) ? v[0] : std::max(v[0], 0.0); });
  relu.integers = true;
  const auto clamped = [](const Values& v) {
    return std::isnan(v[0]) ? v[0] : std::min(std::max(v[0], v[1]), v[2]);
  };
  const auto gelu = [](const Values& v) {
    return v[0] * 0.5 * (1 + std::erf(v[0] * std::numbers::sqrt2 / 2));
  };
  const auto gelu_tanh = [](const Values& v) {
    const double x = v[0];
    const double c = std::sqrt(2 / std::numbers::pi);
    return x * 0.5 * (1 + std::tanh(c * (x + 0.044715 * (x * x * x))));
  };
  const auto sigmoid_slope = [](const Values& v) {
    return v[0] == 0 ? v[0] : v[0] * (v[1] * (1 - v[1]));
  };
  const auto tanh_slope = [](const Values& v) {
    return v[0] == 0 ? v[0] : v[0] * (1 - v[1] * v[1]);
  };
  OpCase tanh_form = with_numbers("gelu", {"tanh"}, gelu_tanh);
  tanh_form.label = "tanh";
  return {relu,
          with_numbers("hardtanh", {-1.0, 2.0}, clamped),
          with_numbers("relu6", {},
                       [](const Values& v) {
                         return std::isnan(v[0]) ? v[0] : std::min(std::max(v[0], 0.0), 6.0);
                       }),
          with_numbers("leaky_relu", {0.1},
                       [](const Values& v) { return v[0] > 0 ? v[0] : v[0] * v[1]; }),
          with_numbers("elu", {1.5},
                       [](const Values& v) { return v[0] > 0 ? v[0] : v[1] * std::expm1(v[0]); }),
          with_numbers("sigmoid", {}, [](const Values& v) { return sigmoid(v[0]); }),
          with_numbers("logsigmoid", {},
                       [](const Values& v) {
                         return std::isnan(v[0])
                                    ? v[0]
                                    : std::min(v[0], 0.0) - std::log1p(std::exp(-std::abs(v[0])));
                       }),
          with_numbers("softplus", {2, 5},
                       [](const Values& v) {
                         const double x = v[0] * v[1];
                         return x > v[2] ? v[0] : std::log1p(std::exp(x)) / v[1];
                       }),
          with_numbers("silu", {}, [](const Values& v) { return v[0] * sigmoid(v[0]); }),
          with_numbers("mish", {},
                       [](const Values& v) {
                         return std::isnan(v[0]) ? v[0] : v[0] * std::tanh(softplus(v[0]));
                       }),
          with_numbers("gelu", {}, gelu),
          tanh_form,
          slope_at_result("sigmoid_backward", sigmoid_slope),
          slope_at_result("tanh_backward", tanh_slope),
          slope("silu_backward", {}),
          slope("mish_backward", {}),
          slope("gelu_backward", {}),
          slope("softplus_backward", {2.0, 5.0}),
          slope("elu_backward", {1.5})};
}

}  // namespace rondo::test
