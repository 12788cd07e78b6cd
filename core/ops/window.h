// Pooling over windows of the last two axes. `kernel_size`, `stride`, `padding` and `dilation` take
// one number or two (rows, columns); a stride of None is the kernel size.
#pragma once

#include "core/op/structural.h"

namespace rondo {

/// The largest element of each window, NaN counting as largest; windows reach into a padding of
/// -inf. Errors: ArgumentError for a size that is not positive or a padding above half the kernel,
/// ShapeError if input has not three or four axes or the result would be empty.
struct MaxPool2d : Derived<MaxPool2d> {
  static constexpr Schema schema{
      "max_pool2d(Tensor input, int[] kernel_size, int[]? stride=None, int[] padding=0, int[] "
      "dilation=1, bool ceil_mode=False) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kMethod = false;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr MaxPool2d max_pool2d;

/// max_pool2d, and the place of each element in its plane (row * width + column), the first of
/// equals.
struct MaxPool2dWithIndices : FunctionOp<MaxPool2dWithIndices> {
  static constexpr Schema schema{
      "max_pool2d_with_indices(Tensor input, int[] kernel_size, int[]? stride=None, int[] "
      "padding=0, int[] dilation=1, bool ceil_mode=False) -> (Tensor values, Tensor indices)"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr OpKind kKind = OpKind::window;
  static constexpr bool kMethod = false;
  static constexpr bool kRowIndependent = true;
  static constexpr bool kSkipsUnread = true;
  static constexpr Saves saves{"output1"};
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void run(const OpArgs& args, std::span<Tensor> outputs);
  static void gradient(GradContext& g);
};
inline constexpr MaxPool2dWithIndices max_pool2d_with_indices;

/// The mean of each window, added row by row; padding counts as zeros that are part of the window,
/// or not (`count_include_pad`).
struct AvgPool2d : FunctionOp<AvgPool2d> {
  static constexpr Schema schema{
      "avg_pool2d(Tensor input, int[] kernel_size, int[]? stride=None, int[] padding=0, bool "
      "ceil_mode=False, bool count_include_pad=True) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr OpKind kKind = OpKind::window;
  static constexpr bool kMethod = false;
  static constexpr bool kRowIndependent = true;
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void run(const OpArgs& args, std::span<Tensor> outputs);
  static void gradient(GradContext& g);
};
inline constexpr AvgPool2d avg_pool2d;

/// The gradient of avg_pool2d for an input of shape `size`: overlapping windows add in rising
/// order.
struct AvgPool2dBackward : FunctionOp<AvgPool2dBackward> {
  static constexpr Schema schema{
      "avg_pool2d_backward(Tensor grad, size[] size, int[] kernel_size, int[]? stride, int[] "
      "padding, bool ceil_mode, bool count_include_pad) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr OpKind kKind = OpKind::window;
  static constexpr bool kMethod = false;
  static constexpr bool kRowIndependent = true;
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void run(const OpArgs& args, std::span<Tensor> outputs);
  static void gradient(GradContext& g);
};
inline constexpr AvgPool2dBackward avg_pool2d_backward;

/// Means over windows that divide the last two axes into `output_size` parts: part i of n over a
/// size s is floor(i * s / n) to ceil((i + 1) * s / n).
struct AdaptiveAvgPool2d : Derived<AdaptiveAvgPool2d> {
  static constexpr Schema schema{"adaptive_avg_pool2d(Tensor input, int[] output_size) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kMethod = false;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr AdaptiveAvgPool2d adaptive_avg_pool2d;

using WindowOps =
    OpList<MaxPool2d, MaxPool2dWithIndices, AvgPool2d, AvgPool2dBackward, AdaptiveAvgPool2d>;

}  // namespace rondo
