// Losses. `reduction` is "mean", "sum" or "none"; another name is an ArgumentError.
#pragma once

#include "core/op/structural.h"

namespace rondo {

namespace detail {
/// The axis of classes of an input [classes] or [n, classes, ...].
inline int class_axis(const Shape& input) {
  return input.rank() == 1 ? 0 : 1;
}
}  // namespace detail

/// (input - target) ** 2
struct MseLoss : Derived<MseLoss> {
  static constexpr Schema schema{
      "mse_loss(Tensor input, Tensor target, str reduction=\"mean\") -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kMethod = false;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr MseLoss mse_loss;

/// |input - target|
struct L1Loss : Derived<L1Loss> {
  static constexpr Schema schema{
      "l1_loss(Tensor input, Tensor target, str reduction=\"mean\") -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kMethod = false;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr L1Loss l1_loss;

/// With d = |input - target|: d ** 2 / (2 beta) where d < beta, else d - beta / 2. Errors:
/// ArgumentError for a negative beta.
struct SmoothL1Loss : Derived<SmoothL1Loss> {
  static constexpr Schema schema{
      "smooth_l1_loss(Tensor input, Tensor target, str reduction=\"mean\", Scalar beta=1.0) -> "
      "Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kMethod = false;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr SmoothL1Loss smooth_l1_loss;

/// With d = |input - target|: d ** 2 / 2 where d < delta, else delta * (d - delta / 2). Errors:
/// ArgumentError unless delta is positive.
struct HuberLoss : Derived<HuberLoss> {
  static constexpr Schema schema{
      "huber_loss(Tensor input, Tensor target, str reduction=\"mean\", Scalar delta=1.0) -> "
      "Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kMethod = false;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr HuberLoss huber_loss;

/// -(target * log(input) + (1 - target) * log(1 - input)), logarithms not below -100
struct BinaryCrossEntropy : Derived<BinaryCrossEntropy> {
  static constexpr Schema schema{
      "binary_cross_entropy(Tensor input, Tensor target, Tensor? weight=None, str "
      "reduction=\"mean\") -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kMethod = false;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr BinaryCrossEntropy binary_cross_entropy;

/// binary_cross_entropy of sigmoid(input), without overflow; `pos_weight` multiplies the loss of
/// target 1
struct BinaryCrossEntropyWithLogits : Derived<BinaryCrossEntropyWithLogits> {
  static constexpr Schema schema{
      "binary_cross_entropy_with_logits(Tensor input, Tensor target, Tensor? weight=None, str "
      "reduction=\"mean\", Tensor? pos_weight=None) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kMethod = false;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr BinaryCrossEntropyWithLogits binary_cross_entropy_with_logits;

/// target * (log(target) - input), where input holds logarithms, and target too with `log_target`.
/// The reduction "batchmean" divides the sum by the size of axis 0.
struct KlDiv : Derived<KlDiv> {
  static constexpr Schema schema{
      "kl_div(Tensor input, Tensor target, str reduction=\"mean\", bool log_target=False) -> "
      "Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kMethod = false;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr KlDiv kl_div;

/// -input at the class that target names, times the weight of the class. The mean is over the
/// weights; targets of `ignore_index` count for nothing.
///
/// Shapes: input [classes] or [n, classes, ...], target without the axis of classes
/// Errors: ShapeError; IndexError for a target outside of [0, classes)
struct NllLoss : Derived<NllLoss> {
  static constexpr Schema schema{
      "nll_loss(Tensor input, Tensor target, Tensor? weight=None, int ignore_index=-100, str "
      "reduction=\"mean\") -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kMethod = false;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr NllLoss nll_loss;

/// nll_loss of log_softmax(input). With `label_smoothing` s, the target has the part 1 - s of its
/// class and s divided over all classes. A floating target of the shape of input holds
/// probabilities of the classes instead.
struct CrossEntropy : Derived<CrossEntropy> {
  static constexpr Schema schema{
      "cross_entropy(Tensor input, Tensor target, Tensor? weight=None, int ignore_index=-100, str "
      "reduction=\"mean\", Scalar label_smoothing=0.0) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kMethod = false;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr CrossEntropy cross_entropy;

/// For each target: -weight * input at its class, and the weight; 0 for `ignore_index`. Both in the
/// compute dtype.
struct NllTerms : FunctionOp<NllTerms> {
  static constexpr Schema schema{
      "nll_terms(Tensor input, Tensor target, Tensor? weight, int ignore_index) -> (Tensor losses, "
      "Tensor weights)"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr OpKind kKind = OpKind::index;
  static constexpr bool kChecksData = true;
  static constexpr bool kMethod = false;
  static constexpr Saves saves{"target", "weight"};
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void run(const OpArgs& args, std::span<Tensor> outputs);
  static void gradient(GradContext& g);
};
inline constexpr NllTerms nll_terms;

/// The gradient of the losses of nll_terms: zeros of shape `size` with -weight * grad at the class
/// of each target.
struct NllTermsBackward : FunctionOp<NllTermsBackward> {
  static constexpr Schema schema{
      "nll_terms_backward(Tensor grad, Tensor target, Tensor? weight, size[] size, int "
      "ignore_index) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr OpKind kKind = OpKind::index;
  static constexpr bool kChecksData = true;
  static constexpr bool kMethod = false;
  static constexpr Saves saves{"target", "weight"};
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void run(const OpArgs& args, std::span<Tensor> outputs);
  static void gradient(GradContext& g);
};
inline constexpr NllTermsBackward nll_terms_backward;

using LossOps =
    OpList<MseLoss, L1Loss, SmoothL1Loss, HuberLoss, BinaryCrossEntropy,
           BinaryCrossEntropyWithLogits, KlDiv, NllLoss, CrossEntropy, NllTerms, NllTermsBackward>;

}  // namespace rondo
