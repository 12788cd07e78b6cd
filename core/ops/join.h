// Joining, padding and rearranging.
#pragma once

#include "core/op/structural.h"

namespace rondo {

/// Tensors one after the other along `dim`; their dtypes are promoted. Empty tensors of rank 1 are
/// left out, as in PyTorch. Errors: ArgumentError for no tensor, ShapeError unless all sizes but
/// that of `dim` are equal.
struct Cat : Derived<Cat> {
  static constexpr Schema schema{"cat(Tensor[] tensors, int dim=0) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr bool kMethod = false;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr Cat cat;

/// cat of tensors of one dtype.
struct Concatenate : FunctionOp<Concatenate> {
  static constexpr Schema schema{"concatenate(Tensor[] tensors, int dim) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr OpKind kKind = OpKind::index;
  static constexpr bool kMethod = false;
  static constexpr bool kRowsBesideDim = true;
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void run(const OpArgs& args, std::span<Tensor> outputs);
  static void gradient(GradContext& g);
};
inline constexpr Concatenate concatenate;

/// Tensors of one shape along a new axis.
struct Stack : Derived<Stack> {
  static constexpr Schema schema{"stack(Tensor[] tensors, int dim=0) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr bool kMethod = false;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr Stack stack;

/// `pad[0]` elements of `value` before and `pad[1]` after the last axis, then those of the axis
/// before it; negative numbers cut elements off. Errors: UnsupportedError for a mode other than
/// "constant", ArgumentError for an odd or too long list, ShapeError if more is cut than there is.
struct Pad : FunctionOp<Pad> {
  static constexpr Schema schema{
      "pad(Tensor input, int[] pad, str mode=\"constant\", Scalar value=0) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr OpKind kKind = OpKind::index;
  static constexpr bool kMethod = false;
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void run(const OpArgs& args, std::span<Tensor> outputs);
  static void gradient(GradContext& g);
};
inline constexpr Pad pad;

/// The axes `dims` in reverse order, as a copy.
struct Flip : Derived<Flip> {
  static constexpr Schema schema{"flip(Tensor input, int[] dims) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr Flip flip;

/// The elements moved by `shifts` along `dims` (without dims, in row-major order); those that leave
/// at one end come in at the other.
struct Roll : Derived<Roll> {
  static constexpr Schema schema{"roll(Tensor input, int[] shifts, int[]? dims=None) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr Roll roll;

/// The elements (i, i + offset) of two axes, as a new last axis: a view.
struct Diagonal : View<Diagonal> {
  static constexpr Schema schema{
      "diagonal(Tensor input, int offset=0, int dim1=0, int dim2=1) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static bool view(const OpArgs& args, ViewGeometry& result);
  static void gradient(GradContext& g);
};
inline constexpr Diagonal diagonal;

/// The elements of the last two axes on and below a diagonal (above 0: further right), 0 elsewhere.
struct Tril : Derived<Tril> {
  static constexpr Schema schema{"tril(Tensor input, int diagonal=0) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr bool kInPlaceByCopy = true;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr Tril tril;

/// The elements of the last two axes on and above a diagonal (above 0: further right), 0 elsewhere.
struct Triu : Derived<Triu> {
  static constexpr Schema schema{"triu(Tensor input, int diagonal=0) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr bool kInPlaceByCopy = true;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr Triu triu;

/// bool [rows, columns]: true where column - row <= diagonal.
Tensor lower_triangle(std::int64_t rows, std::int64_t columns, std::int64_t diagonal);

using JoinOps = OpList<Cat, Concatenate, Stack, Pad, Flip, Roll, Diagonal, Tril, Triu>;

}  // namespace rondo
