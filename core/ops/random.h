// Random numbers: element i of a result depends on seed, offset and i alone.
#pragma once

#include "core/op/elementwise.h"
#include "core/op/structural.h"

namespace rondo {

/// Base of the random ops that make a tensor of the attribute `size`.
template <class Op>
struct RandomCreation : Random<Op> {
  static constexpr bool kDifferentiable = false;
  static constexpr bool kMethod = false;
};

/// Uniform in [0, 1): 24 random bits for float32, 53 for float64, as many as fit for 16-bit floats.
struct Rand : RandomCreation<Rand> {
  static constexpr Schema schema{
      "rand(size[] size, Dtype? dtype=None, Scalar? seed=None, Scalar? offset=None) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void expressions(ExprContext& c);
};
inline constexpr Rand rand;

/// Normal with mean 0 and variance 1.
struct Randn : RandomCreation<Randn> {
  static constexpr Schema schema{
      "randn(size[] size, Dtype? dtype=None, Scalar? seed=None, Scalar? offset=None) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void expressions(ExprContext& c);
};
inline constexpr Randn randn;

/// Integers in [low, high), uniform; dtype int64 by default. Errors: ArgumentError unless low <
/// high.
struct Randint : RandomCreation<Randint> {
  static constexpr Schema schema{
      "randint(Scalar low, Scalar high, size[] size, Dtype? dtype=None, Scalar? seed=None, Scalar? "
      "offset=None) -> Tensor"};
  static constexpr DtypeSet dtypes = kNumeric;
  static constexpr std::uint32_t kOwnDtype = 3;
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void expressions(ExprContext& c);
};
inline constexpr Randint randint;

/// 1 with the probability that input holds, else 0.
struct Bernoulli : Random<Bernoulli> {
  static constexpr Schema schema{
      "bernoulli(Tensor input, Scalar? seed=None, Scalar? offset=None) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static void expressions(ExprContext& c);
  static void gradient(GradContext& g);
};
inline constexpr Bernoulli bernoulli;

/// Each element is 0 with probability p, else input / (1 - p). The gradient draws the same again.
/// Errors: ArgumentError unless 0 <= p <= 1.
struct Dropout : Random<Dropout> {
  static constexpr Schema schema{
      "dropout(Tensor input, Scalar p=0.5, Scalar? seed=None, Scalar? offset=None) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr std::uint32_t kOwnDtype = 0b0010;
  static constexpr bool kMethod = false;
  static constexpr Saves saves{"p", "seed", "offset"};
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void expressions(ExprContext& c);
  static void gradient(GradContext& g);
};
inline constexpr Dropout dropout;

/// The numbers 0 to n - 1 in random order: int64.
struct Randperm : Derived<Randperm> {
  static constexpr Schema schema{"randperm(int n) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr bool kMethod = false;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr Randperm randperm;

/// `num_samples` places of each row, drawn with the row's weights; without replacement unless told.
///
/// Shapes: input [n] or [rows, n] -> [num_samples] or [rows, num_samples], int64
/// Errors: ArgumentError for weights that are negative or not finite, a row without a positive one,
/// or, without replacement, more samples than positive weights
struct Multinomial : Derived<Multinomial> {
  static constexpr Schema schema{
      "multinomial(Tensor input, int num_samples, bool replacement=False) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr Multinomial multinomial;

/// multinomial with given uniform numbers, one float64 for each sample: sample j is the first place
/// where the running sum of weights exceeds that part of the total. Weights drawn become 0 without
/// replacement.
struct MultinomialPick : FunctionOp<MultinomialPick> {
  static constexpr Schema schema{
      "multinomial_pick(Tensor input, Tensor uniform, bool replacement) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr OpKind kKind = OpKind::opaque;
  static constexpr bool kChecksData = true;
  static constexpr bool kDifferentiable = false;
  static constexpr bool kMethod = false;
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void run(const OpArgs& args, std::span<Tensor> outputs);
};
inline constexpr MultinomialPick multinomial_pick;

using RandomOps =
    OpList<Rand, Randn, Randint, Bernoulli, Dropout, Randperm, Multinomial, MultinomialPick>;

}  // namespace rondo
