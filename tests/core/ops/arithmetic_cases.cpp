// Cases: arithmetic, bounds, rounding, bits, comparisons, choices.
#include <cmath>
#include <limits>

#include "tests/core/ops/cases.h"

namespace rondo::test {
namespace {

using Scalar2 = double (*)(double, double);
OpCase binary(const char* op, Scalar2 f, double low, double high) {
  OpCase c{.op = op};
  c.args = [=] { return Args{uniform({2, 3}, low, high), uniform({3}, low, high, 2)}; };
  c.scalar = [f](const Values& v) { return f(v[0], v[1]); };
  return c;
}

OpCase whole(OpCase c) {
  c.integers = true;
  return c;
}

double nan_max(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
}
double nan_min(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b);
}

double python_remainder(double a, double b) {
  const double r = std::fmod(a, b);
  if (r == 0 || std::isnan(r)) {
    return r;
  }
  return (r < 0) != (b < 0) ? r + b : r;
}

/// NumPy's floor_divide.
double python_floor_div(double a, double b) {
  if (b == 0 || std::isinf(a)) {
    return std::isinf(a) && !std::isnan(b) && b != 0 && !std::isinf(b) ? NAN : a / b;
  }
  const double r = std::fmod(a, b);
  double q = (a - r) / b;
  if (r != 0 && (b < 0) != (r < 0)) {
    q -= 1;
  }
  return q == 0 ? std::copysign(0.0, a / b) : std::floor(q) + (q - std::floor(q) > 0.5 ? 1 : 0);
}

/// Three operands and a number.
OpCase fused(const char* op, double (*f)(const Values&), double low) {
  OpCase c{.op = op};
  c.args = [=] {
    return Args{uniform({2, 3}, -1, 1), uniform({3}, low, 2, 2), uniform({2, 1}, low, 2, 3), 0.75};
  };
  c.scalar = f;
  return c;
}

std::vector<OpCase> plain_arithmetic() {
  return {whole(binary(
              "add", [](double a, double b) { return a + b; }, -8, 8)),
          whole(binary(
              "sub", [](double a, double b) { return a - b; }, -8, 8)),
          whole(binary(
              "mul", [](double a, double b) { return a * b; }, -8, 8)),
          binary(
              "div", [](double a, double b) { return a / b; }, 0.5, 2),
          whole(unary(
              "neg", [](double a) { return -a; }, -8, 8)),
          binary(
              "chain", [](double a, double b) { return a == 0 ? a : a * b; }, 0.5, 2),
          binary(
              "chain_div", [](double a, double b) { return a == 0 ? a : a / b; }, 0.5, 2),
          fused(
              "addcmul", [](const Values& v) { return v[0] + v[3] * v[1] * v[2]; }, -2),
          fused(
              "addcdiv", [](const Values& v) { return v[0] + v[3] * v[1] / v[2]; }, 0.5),
          {.op = "lerp",
           .label = "numbers",
           .args = [] { return Args{uniform({2, 3}, -2, 2), uniform({3}, -2, 2, 2), 0.25}; },
           .scalar = [](const Values& v) { return v[0] + v[2] * (v[1] - v[0]); },
           .tolerance = 1e-11,
           .special = false},
          {.op = "lerp",
           .label = "tensors",
           .args =
               [] {
                 return Args{uniform({4}, -2, 2), uniform({4}, -2, 2, 2),
                             numbers({4}, {0.0, 0.3, 0.7, 1.0})};
               },
           .scalar = [](const Values& v) { return v[0] + v[2] * (v[1] - v[0]); },
           .special = false}};
}

std::vector<OpCase> bounds() {
  return {
      whole(binary("maximum", nan_max, -8, 8)),
      whole(binary("minimum", nan_min, -8, 8)),
      {.op = "clamp",
       .label = "both",
       .args = [] { return Args{uniform({2, 3}, -4, 4), -1.5, 2.25}; },
       .scalar = [](const Values& v) { return nan_min(nan_max(v[0], v[1]), v[2]); }},
      {.op = "clamp",
       .label = "tensors",
       .args =
           [] {
             return Args{uniform({2, 3}, -4, 4), uniform({3}, -2, 0, 2), uniform({2, 1}, -1, 2, 3)};
           },
       .scalar = [](const Values& v) { return nan_min(nan_max(v[0], v[1]), v[2]); }},
      {.op = "clamp",
       .label = "above",
       .args = [] { return Args{uniform({5}, -4, 4), std::nullopt, 1}; },
       .scalar = [](const Values& v) { return nan_min(v[0], v[1]); },
       .integers = true},
      whole(unary(
          "abs", [](double a) { return std::abs(a); }, -8, 8)),
      whole(unary(
          "sign", [](double a) { return a > 0 ? 1.0 : (a < 0 ? -1.0 : a); }, -8, 8)),
      {.op = "nan_to_num",
       .args = [] { return Args{numbers({5}, {1, NAN, INFINITY, -INFINITY, -2}), 0.5, 9, -9}; },
       .scalar =
           [](const Values& v) {
             return std::isnan(v[0]) ? v[1] : (std::isinf(v[0]) ? (v[0] > 0 ? v[2] : v[3]) : v[0]);
           },
       .first = false}};
}

std::vector<OpCase> rounding() {
  OpCase whole_quotients{.op = "floor_divide", .label = "integers"};
  whole_quotients.args = [] {
    return Args{numbers({8}, {7, 7, 6, 100, 5, 0, 9, 1}), numbers({8}, {2, 3, 3, 7, 5, 4, 10, 1})};
  };
  whole_quotients.scalar = [](const Values& v) { return std::floor(v[0] / v[1]); };
  whole_quotients.first = false;
  whole_quotients.integers = true;
  whole_quotients.special = false;
  OpCase whole_remainders = whole_quotients;
  whole_remainders.op = "remainder";
  whole_remainders.scalar = [](const Values& v) { return std::fmod(v[0], v[1]); };
  OpCase whole_fmods = whole_remainders;
  whole_fmods.op = "fmod";
  return {whole(unary("floor", std::floor, -8, 8)),
          whole(unary("ceil", std::ceil, -8, 8)),
          whole(unary("trunc", std::trunc, -8, 8)),
          whole(unary("round", std::nearbyint, -8, 8)),
          binary("floor_divide", python_floor_div, 0.5, 9),
          binary("remainder", python_remainder, 0.5, 9),
          binary("fmod", std::fmod, 0.5, 9),
          whole_quotients,
          whole_remainders,
          whole_fmods};
}

/// Operands that meet each other in all orders.
OpCase comparison(const char* op, Scalar2 f) {
  OpCase c{.op = op};
  c.args = [] { return Args{numbers({6}, {1, 2, 3, 0, -1, 5}), numbers({6}, {1, 3, 2, 0, 1, 5})}; };
  c.scalar = [f](const Values& v) { return f(v[0], v[1]); };
  c.integers = true;
  return c;
}

std::vector<OpCase> comparisons() {
  return {
      comparison("eq", [](double a, double b) { return a == b ? 1.0 : 0.0; }),
      comparison("ne", [](double a, double b) { return a != b ? 1.0 : 0.0; }),
      comparison("lt", [](double a, double b) { return a < b ? 1.0 : 0.0; }),
      comparison("le", [](double a, double b) { return a <= b ? 1.0 : 0.0; }),
      comparison("gt", [](double a, double b) { return a > b ? 1.0 : 0.0; }),
      comparison("ge", [](double a, double b) { return a >= b ? 1.0 : 0.0; }),
      whole(unary(
          "isnan", [](double a) { return std::isnan(a) ? 1.0 : 0.0; }, -8, 8)),
      {.op = "isinf",
       .args = [] { return Args{numbers({4}, {1, INFINITY, -INFINITY, NAN})}; },
       .scalar = [](const Values& v) { return std::isinf(v[0]) ? 1.0 : 0.0; },
       .special = false},
      {.op = "isfinite",
       .args = [] { return Args{numbers({4}, {1, INFINITY, -INFINITY, NAN})}; },
       .scalar = [](const Values& v) { return std::isfinite(v[0]) ? 1.0 : 0.0; },
       .special = false},
      comparison("logical_and", [](double a, double b) { return a != 0 && b != 0 ? 1.0 : 0.0; }),
      comparison("logical_or", [](double a, double b) { return a != 0 || b != 0 ? 1.0 : 0.0; }),
      comparison("logical_xor",
                 [](double a, double b) { return (a != 0) != (b != 0) ? 1.0 : 0.0; }),
      whole(unary("logical_not", [](double a) { return a == 0 ? 1.0 : 0.0; }, -8, 8))};
}

using Integer2 = std::int64_t (*)(std::int64_t, std::int64_t);

OpCase bits(const char* op, Integer2 f) {
  OpCase c{.op = op};
  c.args = [] {
    return Args{integers({6}, {12, -7, 1, 1024, -1, 5}), integers({6}, {10, 3, 1, 5, 63, 70})};
  };
  c.reference = [f](const Args& args) {
    Values result;
    const Tensor& a = tensor_arg(args, 0);
    const Tensor& b = tensor_arg(args, 1);
    for (std::int64_t i = 0; i < a.numel(); ++i) {
      result.push_back(
          static_cast<double>(f(a.data_as<std::int64_t>()[i], b.data_as<std::int64_t>()[i])));
    }
    return std::vector<Values>{result};
  };
  return c;
}

std::vector<OpCase> bitwise() {
  return {bits("bitwise_and", [](std::int64_t a, std::int64_t b) { return a & b; }),
          bits("bitwise_or", [](std::int64_t a, std::int64_t b) { return a | b; }),
          bits("bitwise_xor", [](std::int64_t a, std::int64_t b) { return a ^ b; }),
          bits("bitwise_left_shift",
               [](std::int64_t a, std::int64_t b) {
                 return b > 63 ? 0 : static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << b);
               }),
          bits("bitwise_right_shift",
               [](std::int64_t a, std::int64_t b) { return a >> std::min<std::int64_t>(b, 63); }),
          {.op = "bitwise_not",
           .label = "integers",
           .args = [] { return Args{integers({3}, {0, -1, 41})}; },
           .reference = [](const Args&) { return std::vector<Values>{{-1, 0, -42}}; }},
          {.op = "bitwise_not",
           .label = "bools",
           .args = [] { return Args{bools({2}, {0, 1})}; },
           .reference = [](const Args&) { return std::vector<Values>{{1, 0}}; }}};
}

std::vector<OpCase> choices() {
  return {
      {.op = "where",
       .args =
           [] {
             return Args{bools({2, 1}, {1, 0}), uniform({2, 3}, -2, 2), uniform({3}, -2, 2, 2)};
           },
       .scalar = [](const Values& v) { return v[0] != 0 ? v[1] : v[2]; },
       .integers = true},
      {.op = "masked_fill",
       .label = "number",
       .args = [] { return Args{uniform({2, 3}, -2, 2), bools({3}, {1, 0, 1}), 7}; },
       .scalar = [](const Values& v) { return v[1] != 0 ? v[2] : v[0]; },
       .integers = true},
      {.op = "masked_fill",
       .label = "tensor",
       .args =
           [] { return Args{uniform({2, 3}, -2, 2), bools({3}, {1, 0, 1}), uniform({}, 1, 2)}; },
       .scalar = [](const Values& v) { return v[1] != 0 ? v[2] : v[0]; },
       .special = false},
      whole(unary(
          "clone", [](double a) { return a; }, -8, 8)),
      {.op = "cast",
       .args = [] { return Args{uniform({4}, -8, 8), Dtype::float64}; },
       .scalar = [](const Values& v) { return v[0]; },
       .exact_halves = false},
      {.op = "copy",
       .args = [] { return Args{uniform({2, 3}, -2, 2), uniform({3}, -2, 2, 2)}; },
       .scalar = [](const Values& v) { return v[1]; },
       .integers = true}};
}

}  // namespace

std::vector<OpCase> arithmetic_cases() {
  std::vector<OpCase> all;
  for (const auto& family :
       {plain_arithmetic(), bounds(), rounding(), comparisons(), bitwise(), choices()}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  return all;
}

}  // namespace rondo::test
