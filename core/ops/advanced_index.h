// Indexing with integer tensors and masks, as NumPy does.
#pragma once

#include "core/op/structural.h"

namespace rondo {

/// input[indices]: one entry for each leading axis, None for an axis that stays whole; masks stand
/// for as many axes as they have. Integer entries broadcast together; their axes come first if
/// axes that stay whole lie between them, else in place of the indexed ones. Negative indices count
/// from the end. Errors: IndexError that names index, axis and size.
struct Index : Derived<Index> {
  static constexpr Schema schema{"index(Tensor input, Tensor[] indices) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr Index index;

/// A copy of input with input[indices] = values, or += with `accumulate`; values broadcast. Equal
/// places: the last one stays, sums run in rising order of the position.
struct IndexPut : Derived<IndexPut> {
  static constexpr Schema schema{
      "index_put(Tensor input, Tensor values, bool accumulate=False, Tensor[] indices) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr bool kInPlaceByCopy = true;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr IndexPut index_put;

/// index with integers alone.
struct IndexTake : FunctionOp<IndexTake> {
  static constexpr Schema schema{"index_take(Tensor input, Tensor[] indices) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr OpKind kKind = OpKind::index;
  static constexpr bool kChecksData = true;
  static constexpr bool kMethod = false;
  static constexpr Saves saves{"indices"};
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void run(const OpArgs& args, std::span<Tensor> outputs);
  static void gradient(GradContext& g);
};
inline constexpr IndexTake index_take;

/// index_put with integers alone and values of the shape of what they replace.
struct IndexReplace : FunctionOp<IndexReplace> {
  static constexpr Schema schema{
      "index_replace(Tensor input, Tensor values, bool accumulate, Tensor[] indices) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr OpKind kKind = OpKind::index;
  static constexpr bool kChecksData = true;
  static constexpr bool kMethod = false;
  static constexpr Saves saves{"indices"};
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void run(const OpArgs& args, std::span<Tensor> outputs);
  static void gradient(GradContext& g);
};
inline constexpr IndexReplace index_replace;

/// The indices of the elements that are not 0, in row-major order: int64 [count, rank]. The shape
/// depends on the data.
struct Nonzero : FunctionOp<Nonzero> {
  static constexpr Schema schema{"nonzero(Tensor input) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr OpKind kKind = OpKind::index;
  static constexpr bool kChecksData = true;
  static constexpr bool kDifferentiable = false;
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void run(const OpArgs& args, std::span<Tensor> outputs);
};
inline constexpr Nonzero nonzero;

/// The elements where mask is true, in row-major order; input and mask broadcast.
struct MaskedSelect : Derived<MaskedSelect> {
  static constexpr Schema schema{"masked_select(Tensor input, Tensor mask) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr MaskedSelect masked_select;

/// 1 at the place that each index names along a new last axis, 0 elsewhere: int64. `num_classes` of
/// -1 takes one more than the largest index. Errors: IndexError outside of [0, num_classes).
struct OneHot : FunctionOp<OneHot> {
  static constexpr Schema schema{"one_hot(Tensor input, int num_classes=-1) -> Tensor"};
  static constexpr DtypeSet dtypes{Dtype::int32, Dtype::int64};
  static constexpr OpKind kKind = OpKind::index;
  static constexpr bool kChecksData = true;
  static constexpr bool kDifferentiable = false;
  static constexpr bool kMethod = false;
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void run(const OpArgs& args, std::span<Tensor> outputs);
};
inline constexpr OneHot one_hot;

using AdvancedIndexOps =
    OpList<Index, IndexPut, IndexTake, IndexReplace, Nonzero, MaskedSelect, OneHot>;

}  // namespace rondo
