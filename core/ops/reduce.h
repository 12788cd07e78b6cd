// Reductions over axes.
#pragma once

#include "core/op/reduction.h"
#include "core/op/structural.h"

namespace rondo {

/// Sum over `dim`; integers and bools sum in int64, 16-bit floats in float32.
struct Sum : Reduction<Sum> {
  static constexpr Schema schema{
      "sum(Tensor input, int[]? dim=None, bool keepdim=False, Dtype? dtype=None) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr Combine kCombine = Combine::sum;
  static constexpr auto kOutput = ReductionRule::Output::widened;
  static void gradient(GradContext& g);
};
inline constexpr Sum sum;

/// Mean over `dim`; the mean of nothing is NaN.
struct Mean : Reduction<Mean> {
  static constexpr Schema schema{
      "mean(Tensor input, int[]? dim=None, bool keepdim=False, Dtype? dtype=None) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr Combine kCombine = Combine::sum;
  static auto post(auto value, auto count) { return value / count; }
  static void gradient(GradContext& g);
};
inline constexpr Mean mean;

/// Sum over `dim`, divided by the count less `correction` (by 0 where that is negative): what the
/// variance is made of.
struct MeanCorrected : Reduction<MeanCorrected> {
  static constexpr Schema schema{
      "mean_corrected(Tensor input, Scalar correction, int[]? dim=None, bool keepdim=False) -> "
      "Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr Combine kCombine = Combine::sum;
  static constexpr bool kMethod = false;
  static constexpr Saves saves{"correction"};
  static auto post(auto value, auto count, auto correction) {
    return value / fn::maximum(count - fn::convert(correction, value.reg()), 0.0);
  }
  static void gradient(GradContext& g);
};
inline constexpr MeanCorrected mean_corrected;

/// Product over `dim`; integers and bools multiply in int64. The product of nothing is 1.
struct Prod : Reduction<Prod> {
  static constexpr Schema schema{
      "prod(Tensor input, int[]? dim=None, bool keepdim=False, Dtype? dtype=None) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr Combine kCombine = Combine::product;
  static constexpr auto kOutput = ReductionRule::Output::widened;
  static constexpr Saves saves{"input"};
  static void gradient(GradContext& g);
};
inline constexpr Prod prod;

/// Largest element over `dim`; NaN propagates. Equal largest elements share the gradient.
struct Amax : Reduction<Amax> {
  static constexpr Schema schema{
      "amax(Tensor input, int[]? dim=None, bool keepdim=False) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr Combine kCombine = Combine::maximum;
  static constexpr bool kEmptyAllowed = false;
  static constexpr Saves saves{"input", "output"};
  static void gradient(GradContext& g);
};
inline constexpr Amax amax;

/// Least element over `dim`; NaN propagates. Equal least elements share the gradient.
struct Amin : Reduction<Amin> {
  static constexpr Schema schema{
      "amin(Tensor input, int[]? dim=None, bool keepdim=False) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr Combine kCombine = Combine::minimum;
  static constexpr bool kEmptyAllowed = false;
  static constexpr Saves saves{"input", "output"};
  static void gradient(GradContext& g);
};
inline constexpr Amin amin;

/// Largest element over `dim`, -inf for nothing, and no gradient: what softmax subtracts.
struct RowMax : Reduction<RowMax> {
  static constexpr Schema schema{
      "row_max(Tensor input, int[]? dim=None, bool keepdim=False) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr Combine kCombine = Combine::maximum;
  static constexpr bool kMethod = false;
};
inline constexpr RowMax row_max;

/// Place of the largest element along `dim`, of all elements in row-major order if None: the first
/// of equals; NaN counts as largest.
struct Argmax : Reduction<Argmax> {
  static constexpr Schema schema{
      "argmax(Tensor input, int? dim=None, bool keepdim=False) -> Tensor"};
  static constexpr DtypeSet dtypes = kNumeric;
  static constexpr Combine kCombine = Combine::argmax;
  static constexpr auto kOutput = ReductionRule::Output::int64;
  static constexpr bool kEmptyAllowed = false;
  static constexpr bool kDifferentiable = false;
};
inline constexpr Argmax argmax;

/// Place of the least element, likewise; NaN counts as least.
struct Argmin : Reduction<Argmin> {
  static constexpr Schema schema{
      "argmin(Tensor input, int? dim=None, bool keepdim=False) -> Tensor"};
  static constexpr DtypeSet dtypes = kNumeric;
  static constexpr Combine kCombine = Combine::argmin;
  static constexpr auto kOutput = ReductionRule::Output::int64;
  static constexpr bool kEmptyAllowed = false;
  static constexpr bool kDifferentiable = false;
};
inline constexpr Argmin argmin;

/// Whether any element over `dim` is not 0; false for nothing.
struct Any : Reduction<Any> {
  static constexpr Schema schema{
      "any(Tensor input, int[]? dim=None, bool keepdim=False) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr Combine kCombine = Combine::maximum;
  static constexpr auto kOutput = ReductionRule::Output::boolean;
  static constexpr bool kDifferentiable = false;
  static auto pre(auto x) { return fn::truth(x); }
  static auto post(auto value, auto /*count*/) { return fn::gt(value, 0.0); }
};
inline constexpr Any any;

/// Whether all elements over `dim` are not 0; true for nothing.
struct All : Reduction<All> {
  static constexpr Schema schema{
      "all(Tensor input, int[]? dim=None, bool keepdim=False) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr Combine kCombine = Combine::minimum;
  static constexpr auto kOutput = ReductionRule::Output::boolean;
  static constexpr bool kDifferentiable = false;
  static auto pre(auto x) { return fn::truth(x); }
  static auto post(auto value, auto /*count*/) { return fn::gt(value, 0.0); }
};
inline constexpr All all;

/// Square root of the sum of squares over `dim`. The gradient at 0 is 0.
struct Norm2 : Reduction<Norm2> {
  static constexpr Schema schema{
      "norm2(Tensor input, int[]? dim=None, bool keepdim=False) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr Combine kCombine = Combine::sum;
  static constexpr bool kMethod = false;
  static constexpr Saves saves{"input", "output"};
  static auto pre(auto x) { return x * x; }
  static auto post(auto value, auto /*count*/) { return fn::sqrt(value); }
  static void gradient(GradContext& g);
};
inline constexpr Norm2 norm2;

/// Sum over the axes that `shape` broadcasts from, so that the result has that shape.
Tensor sum_to(const Tensor& tensor, const Shape& shape);

/// In the gradient of a reduction: a reduced tensor with its removed axes put back as size 1.
Tensor restore_axes(const GradContext& g, const Tensor& reduced);

using ReduceOps =
    OpList<Sum, Mean, MeanCorrected, Prod, Amax, Amin, RowMax, Argmax, Argmin, Any, All, Norm2>;

}  // namespace rondo
