// What is checked of every op: value, gradients of first and second order, layouts, threads,
// dtypes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/op/call.h"
#include "core/op/op_info.h"

namespace rondo::test {

using Values = std::vector<double>;
using Args = std::vector<ArgValue>;

/// One use of an op and what is known about it. Tensors are float64 (or integers and bools where
/// the op wants them); they lie where the op is smooth if gradients are checked.
struct OpCase {
  std::string op{};
  std::string label{};           // tells cases of one op apart; a word
  std::function<Args()> args{};  // in the order of the schema
  /// The results in row-major order, computed in double. For an elementwise op `scalar` is enough.
  std::function<std::vector<Values>(const Args&)> reference{};
  std::function<double(const Values&)> scalar{};
  double tolerance = 1e-12;       // relative, of values in float64
  double float_tolerance = 2e-6;  // relative, of values in float32
  bool first = true;              // the gradient is compared with finite differences
  bool second = true;             // the gradient of the gradient too
  bool exact_halves = true;       // a 16-bit result is the rounded float32 result
  bool integers = false;          // integer and bool operands are tried, against the same reference
  bool layouts = true;            // the result does not depend on how operands lie in memory
  bool special = true;            // elementwise: zeros, infinities, NaN, subnormals are tried
};

/// Runs every check that applies to the case; failures are reported through GoogleTest.
void check_op(const OpCase& c);

/// The op of that name.
const OpInfo& op_named(const std::string& name);

/// Binds and calls.
std::vector<Tensor> call_op(const OpInfo& op, const Args& args);

/// The arguments with every tensor replaced, also those in lists; numbers stay.
Args map_tensors(const Args& args, const std::function<Tensor(const Tensor&)>& map);

/// The arguments with every special number (zeros, infinities, NaN, subnormals), or every pair of
/// them; nothing for cases that they do not suit.
Args special_args(const OpCase& c, const Args& args);

/// Deterministic numbers, uniform in [low, high): float64.
Tensor uniform(const Shape& shape, double low, double high, unsigned seed = 1);
/// A float64 tensor of the listed numbers.
Tensor numbers(const Shape& shape, const Values& list);
/// An int64 tensor of the listed numbers.
Tensor integers(const Shape& shape, const std::vector<std::int64_t>& list);
/// A bool tensor of the listed numbers.
Tensor bools(const Shape& shape, const std::vector<int>& list);

/// The tensor of argument `i`.
const Tensor& tensor_arg(const Args& args, std::size_t i);

/// |a - b| <= tolerance * max(1, |b|), or both NaN, or the same infinity.
bool is_near(double a, double b, double tolerance);

/// Expects equal shapes, dtypes and bits (any NaN equals any NaN).
void expect_same(const Tensor& a, const Tensor& b, const std::string& what);

}  // namespace rondo::test
