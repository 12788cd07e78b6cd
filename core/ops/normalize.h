// Normalisations over axes: softmax and its relatives, layer, group, batch and RMS norm.
#pragma once

#include "core/op/structural.h"

namespace rondo {

/// exp(input) / sum of exp(input) over `dim`, without overflow. A row of -inf alone gives NaN.
struct Softmax : Composite<Softmax> {
  static constexpr Schema schema{"softmax(Tensor input, int dim, Dtype? dtype=None) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr Saves saves{"output"};
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
  static void gradient(GradContext& g);
};
inline constexpr Softmax softmax;

/// The gradient of softmax, from its result.
struct SoftmaxBackward : Composite<SoftmaxBackward> {
  static constexpr Schema schema{"softmax_backward(Tensor grad, Tensor output, int dim) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kMethod = false;
  static void infer(const OpArgs& args, std::vector<Meta>& outputs) { infer_same(args, outputs); }
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr SoftmaxBackward softmax_backward;

/// input - log of the sum of exp(input) over `dim`, without overflow.
struct LogSoftmax : Composite<LogSoftmax> {
  static constexpr Schema schema{"log_softmax(Tensor input, int dim, Dtype? dtype=None) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr Saves saves{"output"};
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
  static void gradient(GradContext& g);
};
inline constexpr LogSoftmax log_softmax;

/// The gradient of log_softmax, from its result.
struct LogSoftmaxBackward : Composite<LogSoftmaxBackward> {
  static constexpr Schema schema{
      "log_softmax_backward(Tensor grad, Tensor output, int dim) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kMethod = false;
  static void infer(const OpArgs& args, std::vector<Meta>& outputs) { infer_same(args, outputs); }
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr LogSoftmaxBackward log_softmax_backward;

/// (input - mean) / sqrt(variance + eps) * weight + bias, with mean and (biased) variance over
/// `dims`: what layer, group and batch norm are made of.
///
/// Shapes: weight and bias broadcast to input; mean and variance have size 1 along dims
/// Dtypes: output as input; mean and variance in the compute dtype
struct Standardize : Composite<Standardize> {
  static constexpr Schema schema{
      "standardize(Tensor input, Tensor? weight, Tensor? bias, Scalar eps, int[] dims) -> (Tensor "
      "output, Tensor mean, Tensor variance)"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kMethod = false;
  static constexpr Saves saves{"input", "weight:input", "eps", "output1", "output2"};
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
  static void gradient(GradContext& g);
};
inline constexpr Standardize standardize;

/// The gradient of standardize's input through its output alone.
struct StandardizeBackward : Composite<StandardizeBackward> {
  static constexpr Schema schema{
      "standardize_backward(Tensor grad, Tensor input, Tensor mean, Tensor variance, Tensor? "
      "weight, Scalar eps, int[] dims) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kMethod = false;
  static void infer(const OpArgs& args, std::vector<Meta>& outputs) { infer_same(args, outputs); }
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr StandardizeBackward standardize_backward;

/// The gradient of standardize's weight: grad times the standardized input, summed over `dims`.
struct StandardizeWeightBackward : Composite<StandardizeWeightBackward> {
  static constexpr Schema schema{
      "standardize_weight_backward(Tensor grad, Tensor input, Tensor mean, Tensor variance, Scalar "
      "eps, int[] dims) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kMethod = false;
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr StandardizeWeightBackward standardize_weight_backward;

/// standardize with mean and variance given.
struct StandardizeWith : Composite<StandardizeWith> {
  static constexpr Schema schema{
      "standardize_with(Tensor input, Tensor mean, Tensor variance, Tensor? weight, Tensor? bias, "
      "Scalar eps) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kMethod = false;
  static constexpr bool kRowIndependent = true;
  static void infer(const OpArgs& args, std::vector<Meta>& outputs) { infer_same(args, outputs); }
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr StandardizeWith standardize_with;

/// Standardizes over the last axes, which have `normalized_shape`. Errors: ShapeError unless the
/// input ends in it and weight and bias have it.
struct LayerNorm : Derived<LayerNorm> {
  static constexpr Schema schema{
      "layer_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, Tensor? bias=None, "
      "Scalar eps=1e-05) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kMethod = false;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr LayerNorm layer_norm;

/// Standardizes groups of channels (axis 1) with all that follows them. Errors: ShapeError unless
/// the channels divide into the groups and weight and bias have one element a channel.
struct GroupNorm : Derived<GroupNorm> {
  static constexpr Schema schema{
      "group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, Scalar "
      "eps=1e-05) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kMethod = false;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr GroupNorm group_norm;

/// Standardizes each channel (axis 1). Training: with the statistics of the batch, which move the
/// running ones in place (the running variance by the unbiased one); else with the running ones.
/// Errors: ShapeError for a wrong count of channels, ArgumentError if statistics are missing or a
/// channel has one value in training.
struct BatchNorm : Derived<BatchNorm> {
  static constexpr Schema schema{
      "batch_norm(Tensor input, Tensor? running_mean, Tensor? running_var, Tensor? weight=None, "
      "Tensor? bias=None, bool training=False, Scalar momentum=0.1, Scalar eps=1e-05) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kMethod = false;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr BatchNorm batch_norm;

/// input / sqrt(mean of input ** 2 + eps) * weight over the last axes, which have
/// `normalized_shape`; eps defaults to that of the dtype. Source: Zhang and Sennrich 2019,
/// arXiv:1910.07467.
struct RmsNorm : Derived<RmsNorm> {
  static constexpr Schema schema{
      "rms_norm(Tensor input, int[] normalized_shape, Tensor? weight=None, Scalar? eps=None) -> "
      "Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kMethod = false;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr RmsNorm rms_norm;

/// rms_norm over `dims`, with weight broadcast to input.
struct ScaleToUnit : Composite<ScaleToUnit> {
  static constexpr Schema schema{
      "scale_to_unit(Tensor input, Tensor? weight, Scalar eps, int[] dims) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kMethod = false;
  static void infer(const OpArgs& args, std::vector<Meta>& outputs) { infer_same(args, outputs); }
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr ScaleToUnit scale_to_unit;

using NormalizeOps = OpList<Softmax, SoftmaxBackward, LogSoftmax, LogSoftmaxBackward, Standardize,
                            StandardizeBackward, StandardizeWeightBackward, StandardizeWith,
                            LayerNorm, GroupNorm, BatchNorm, RmsNorm, ScaleToUnit>;

}  // namespace rondo
