// Views: the same elements under another shape.
#pragma once

#include "core/op/structural.h"

namespace rondo {

/// The axes in another order.
struct Permute : View<Permute> {
  static constexpr Schema schema{"permute(Tensor input, int[] dims) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static bool view(const OpArgs& args, ViewGeometry& result);
  static void gradient(GradContext& g);
};
inline constexpr Permute permute;

/// Two axes exchanged.
struct Transpose : View<Transpose> {
  static constexpr Schema schema{"transpose(Tensor input, int dim0, int dim1) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static bool view(const OpArgs& args, ViewGeometry& result);
  static void gradient(GradContext& g);
};
inline constexpr Transpose transpose;

/// Axes of size 1 repeated, and new leading axes; -1 keeps a size.
struct Expand : View<Expand> {
  static constexpr Schema schema{"expand(Tensor input, size[] size) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static bool view(const OpArgs& args, ViewGeometry& result);
  static void gradient(GradContext& g);
};
inline constexpr Expand expand;

/// The elements in row-major order under another shape; one size may be -1. A copy where no view
/// can be.
struct Reshape : View<Reshape> {
  static constexpr Schema schema{"reshape(Tensor input, size[] shape) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static bool view(const OpArgs& args, ViewGeometry& result);
  static void gradient(GradContext& g);
};
inline constexpr Reshape reshape;

/// reshape, but never a copy. Errors: ShapeError where the strides allow no view.
struct ViewOf : Derived<ViewOf> {
  static constexpr Schema schema{"view(Tensor input, size[] size) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr ViewOf view;

/// A new axis of size 1.
struct Unsqueeze : View<Unsqueeze> {
  static constexpr Schema schema{"unsqueeze(Tensor input, int dim) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static bool view(const OpArgs& args, ViewGeometry& result);
  static void gradient(GradContext& g);
};
inline constexpr Unsqueeze unsqueeze;

/// Axes of size 1 removed: all of them, or those of `dim` that have size 1.
struct Squeeze : View<Squeeze> {
  static constexpr Schema schema{"squeeze(Tensor input, int[]? dim=None) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static bool view(const OpArgs& args, ViewGeometry& result);
  static void gradient(GradContext& g);
};
inline constexpr Squeeze squeeze;

/// Elements start, start + step, ... below end of one axis, as in Python; a negative step runs
/// backwards from start to above end (an end of None reaches the border).
struct Slice : View<Slice> {
  static constexpr Schema schema{
      "slice(Tensor input, int dim, int? start=None, int? end=None, int step=1) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static bool view(const OpArgs& args, ViewGeometry& result);
  static void gradient(GradContext& g);
};
inline constexpr Slice slice;

/// One index of an axis, which disappears.
struct Select : View<Select> {
  static constexpr Schema schema{"select(Tensor input, int dim, int index) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static bool view(const OpArgs& args, ViewGeometry& result);
  static void gradient(GradContext& g);
};
inline constexpr Select select;

/// Any geometry over the input's storage. Errors: ShapeError if it reaches outside the storage.
struct AsStrided : View<AsStrided> {
  static constexpr Schema schema{
      "as_strided(Tensor input, size[] size, size[] stride, int storage_offset=0) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static bool view(const OpArgs& args, ViewGeometry& result);
  static void gradient(GradContext& g);
};
inline constexpr AsStrided as_strided;

using ReshapeOps = OpList<Permute, Transpose, Expand, Reshape, ViewOf, Unsqueeze, Squeeze, Slice,
                          Select, AsStrided>;

}  // namespace rondo
