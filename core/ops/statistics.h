// What is made of several reductions: variance, logarithm of a sum of exponentials, norms, extremes
// with their places.
#pragma once

#include "core/op/structural.h"

namespace rondo {

/// Variance over `dim`: the sum of squared distances from the mean, divided by count - correction.
struct Var : Composite<Var> {
  static constexpr Schema schema{
      "var(Tensor input, int[]? dim=None, Scalar correction=1, bool keepdim=False) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr Var var;

/// Standard deviation: the square root of var.
struct Std : Composite<Std> {
  static constexpr Schema schema{
      "std(Tensor input, int[]? dim=None, Scalar correction=1, bool keepdim=False) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr Std std_deviation;

/// log of the sum of exp(input) over `dim`, without overflow; -inf for nothing and for -inf alone.
struct Logsumexp : Composite<Logsumexp> {
  static constexpr Schema schema{
      "logsumexp(Tensor input, int[] dim, bool keepdim=False) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr Saves saves{"input", "output"};
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
  static void gradient(GradContext& g);
};
inline constexpr Logsumexp logsumexp;

/// The p-norm over `dim`: (sum of |input| ** p) ** (1 / p), with the limits at p = 0 (the count of
/// what is not 0) and at infinity (the largest magnitude). Gradients at 0 are 0.
struct Norm : Derived<Norm> {
  static constexpr Schema schema{
      "norm(Tensor input, Scalar p=2, int[]? dim=None, bool keepdim=False) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr Norm norm;

/// How many elements over `dim` are not 0.
struct CountNonzero : Derived<CountNonzero> {
  static constexpr Schema schema{"count_nonzero(Tensor input, int[]? dim=None) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr CountNonzero count_nonzero;

/// The largest elements along `dim` and their places: the first of equals, which has the gradient.
struct MaxDim : Derived<MaxDim> {
  static constexpr Schema schema{
      "max_dim(Tensor input, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)"};
  static constexpr DtypeSet dtypes = kNumeric;
  static constexpr bool kMethod = false;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr MaxDim max_dim;

/// The least elements along `dim` and their places: the first of equals, which has the gradient.
struct MinDim : Derived<MinDim> {
  static constexpr Schema schema{
      "min_dim(Tensor input, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)"};
  static constexpr DtypeSet dtypes = kNumeric;
  static constexpr bool kMethod = false;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr MinDim min_dim;

using StatisticsOps = OpList<Var, Std, Logsumexp, Norm, CountNonzero, MaxDim, MinDim>;

}  // namespace rondo
