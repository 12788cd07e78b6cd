// Convolutions (cross-correlations, as in PyTorch) and their two gradients, which are convolutions
// of other operands and so differentiate again.
#pragma once

#include "core/op/structural.h"

namespace rondo {

/// Base of the three convolutions over two axes. `stride`, `padding` and `dilation` are two numbers
/// each (rows, columns).
template <class Op>
struct ConvolutionOp : ContractionOp<Op> {
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kMethod = false;
};

/// Shapes: input [n, c, h, w], weight [o, c / groups, kh, kw] -> [n, o, h', w'], with h' = floor((h
///         + 2 padding - dilation (kh - 1) - 1) / stride) + 1
/// Dtypes: equal; 16-bit floats accumulate in float32
/// Errors: ShapeError for ranks, channels that do not divide into the groups or do not fit, or an
///         empty result; ArgumentError for numbers out of range
struct Convolution : ConvolutionOp<Convolution> {
  static constexpr Schema schema{
      "convolution(Tensor input, Tensor weight, int[] stride, int[] padding, int[] dilation, int "
      "groups) -> Tensor"};
  static constexpr Contraction kContraction = Contraction::convolution;
  static constexpr bool kRowIndependent = true;
  static constexpr Saves saves{"input:weight", "weight:input"};
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void gradient(GradContext& g);
};
inline constexpr Convolution convolution;

/// The gradient of the input, of shape `size` [n, c, h, w]: a transposed convolution of grad [n, o,
/// h', w'].
struct ConvolutionInput : ConvolutionOp<ConvolutionInput> {
  static constexpr Schema schema{
      "convolution_input(Tensor grad, Tensor weight, size[] size, int[] stride, int[] padding, "
      "int[] dilation, int groups) -> Tensor"};
  static constexpr Contraction kContraction = Contraction::convolution_input;
  static constexpr bool kRowIndependent = true;
  static constexpr Saves saves{"grad:weight", "weight:grad"};
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void gradient(GradContext& g);
};
inline constexpr ConvolutionInput convolution_input;

/// The gradient of the weight, of shape `size` [o, c / groups, kh, kw], from grad [n, o, h', w']
/// and input [n, c, h, w].
struct ConvolutionWeight : ConvolutionOp<ConvolutionWeight> {
  static constexpr Schema schema{
      "convolution_weight(Tensor grad, Tensor input, size[] size, int[] stride, int[] padding, "
      "int[] dilation, int groups) -> Tensor"};
  static constexpr Contraction kContraction = Contraction::convolution_weight;
  static constexpr Saves saves{"grad:input", "input:grad"};
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void gradient(GradContext& g);
};
inline constexpr ConvolutionWeight convolution_weight;

/// convolution plus a bias of one element for each of the o channels. `stride`, `padding` and
/// `dilation` take one number or two; input may lack the axis n.
struct Conv2d : Derived<Conv2d> {
  static constexpr Schema schema{
      "conv2d(Tensor input, Tensor weight, Tensor? bias=None, int[] stride=1, int[] padding=0, "
      "int[] dilation=1, int groups=1) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kMethod = false;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr Conv2d conv2d;

/// Likewise over one axis: input [n, c, w] or [c, w], weight [o, c / groups, kw].
struct Conv1d : Derived<Conv1d> {
  static constexpr Schema schema{
      "conv1d(Tensor input, Tensor weight, Tensor? bias=None, int[] stride=1, int[] padding=0, "
      "int[] dilation=1, int groups=1) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kMethod = false;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr Conv1d conv1d;

using ConvolutionOps = OpList<Convolution, ConvolutionInput, ConvolutionWeight, Conv2d, Conv1d>;

}  // namespace rondo
