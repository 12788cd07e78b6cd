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

/// Largest element over `dim`; NaN propagates.
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

/// Largest element over `dim`, -inf for nothing, and no gradient: what softmax subtracts.
struct RowMax : Reduction<RowMax> {
  static constexpr Schema schema{
      "row_max(Tensor input, int[]? dim=None, bool keepdim=False) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr Combine kCombine = Combine::maximum;
  static constexpr bool kMethod = false;
};
inline constexpr RowMax row_max;

/// Sum over the axes that `shape` broadcasts from, so that the result has that shape.
Tensor sum_to(const Tensor& tensor, const Shape& shape);

using ReduceOps = OpList<Sum, Mean, Amax, RowMax>;

}  // namespace rondo
