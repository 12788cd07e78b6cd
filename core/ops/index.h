// Indexing by one tensor of places: gather, scatter, rows of a matrix, slices of an axis.
#pragma once

#include "core/op/structural.h"

namespace rondo {

/// output[i][j][k] = input[i][index[i][j][k]][k] (for dim 1 of three).
///
/// Shapes: index has the rank of input and no size larger but along dim; the result has its shape
/// Errors: IndexError for an index outside of [0, input.shape[dim])
struct Gather : FunctionOp<Gather> {
  static constexpr Schema schema{"gather(Tensor input, int dim, Tensor index) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr OpKind kKind = OpKind::index;
  static constexpr bool kChecksData = true;
  static constexpr Saves saves{"index"};
  static constexpr bool kRowsBesideDim = true;
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void run(const OpArgs& args, std::span<Tensor> outputs);
  static void gradient(GradContext& g);
};
inline constexpr Gather gather;

/// The gradient of gather: zeros of shape `size` with `grad` added where index points; equal places
/// add in rising order of the position in index.
struct GatherBackward : FunctionOp<GatherBackward> {
  static constexpr Schema schema{
      "gather_backward(Tensor grad, int dim, Tensor index, size[] size) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr OpKind kKind = OpKind::index;
  static constexpr bool kChecksData = true;
  static constexpr bool kMethod = false;
  static constexpr Saves saves{"index"};
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void run(const OpArgs& args, std::span<Tensor> outputs);
  static void gradient(GradContext& g);
};
inline constexpr GatherBackward gather_backward;

/// A copy of input with output[i][index[i][j][k]][k] = src[i][j][k] (for dim 1 of three); of equal
/// places the last one stays. `src` may be a number, or larger than index: what stands beyond is
/// left out.
struct Scatter : FunctionOp<Scatter> {
  static constexpr Schema schema{
      "scatter(Tensor input, int dim, Tensor index, Tensor src) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr OpKind kKind = OpKind::index;
  static constexpr bool kChecksData = true;
  static constexpr bool kInPlaceByCopy = true;
  static constexpr Saves saves{"index"};
  static constexpr bool kRowsBesideDim = true;
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void run(const OpArgs& args, std::span<Tensor> outputs);
  static void gradient(GradContext& g);
};
inline constexpr Scatter scatter;

/// A copy of input with src[i][j][k] added to output[i][index[i][j][k]][k] (for dim 1 of three);
/// equal places add in rising order of the position in index.
struct ScatterAdd : FunctionOp<ScatterAdd> {
  static constexpr Schema schema{
      "scatter_add(Tensor input, int dim, Tensor index, Tensor src) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr OpKind kKind = OpKind::index;
  static constexpr bool kChecksData = true;
  static constexpr bool kInPlaceByCopy = true;
  static constexpr Saves saves{"index"};
  static constexpr bool kRowsBesideDim = true;
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void run(const OpArgs& args, std::span<Tensor> outputs);
  static void gradient(GradContext& g);
};
inline constexpr ScatterAdd scatter_add;

/// The slices of `dim` that the one-dimensional `index` names. A tensor of rank 0 is one slice.
struct IndexSelect : FunctionOp<IndexSelect> {
  static constexpr Schema schema{"index_select(Tensor input, int dim, Tensor index) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr OpKind kKind = OpKind::index;
  static constexpr bool kChecksData = true;
  static constexpr Saves saves{"index"};
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void run(const OpArgs& args, std::span<Tensor> outputs);
  static void gradient(GradContext& g);
};
inline constexpr IndexSelect index_select;

/// A copy of input with slice i of `source` added to slice index[i] of `dim`; equal places add in
/// rising order.
struct IndexAdd : FunctionOp<IndexAdd> {
  static constexpr Schema schema{
      "index_add(Tensor input, int dim, Tensor index, Tensor source) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr OpKind kKind = OpKind::index;
  static constexpr bool kChecksData = true;
  static constexpr bool kInPlaceByCopy = true;
  static constexpr Saves saves{"index"};
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void run(const OpArgs& args, std::span<Tensor> outputs);
  static void gradient(GradContext& g);
};
inline constexpr IndexAdd index_add;

/// The rows of `weight` that `input` names; the row `padding_idx` gets no gradient.
///
/// Shapes: input [...], weight [n, d] -> [..., d]
struct Embedding : FunctionOp<Embedding> {
  static constexpr Schema schema{
      "embedding(Tensor input, Tensor weight, int? padding_idx=None) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr OpKind kKind = OpKind::index;
  static constexpr bool kChecksData = true;
  static constexpr bool kMethod = false;
  static constexpr Saves saves{"input"};
  static constexpr bool kRowIndependent = true;
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void run(const OpArgs& args, std::span<Tensor> outputs);
  static void gradient(GradContext& g);
};
inline constexpr Embedding embedding;

/// The gradient of embedding's weight: equal rows add in rising order of their position.
struct EmbeddingBackward : FunctionOp<EmbeddingBackward> {
  static constexpr Schema schema{
      "embedding_backward(Tensor grad, Tensor input, size[] size, int? padding_idx=None) -> "
      "Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr OpKind kKind = OpKind::index;
  static constexpr bool kChecksData = true;
  static constexpr bool kMethod = false;
  static constexpr Saves saves{"input"};
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void run(const OpArgs& args, std::span<Tensor> outputs);
  static void gradient(GradContext& g);
};
inline constexpr EmbeddingBackward embedding_backward;

/// gather with the other axes broadcast; without `dim`, in all elements in row-major order.
struct TakeAlongDim : Derived<TakeAlongDim> {
  static constexpr Schema schema{
      "take_along_dim(Tensor input, Tensor indices, int? dim=None) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr TakeAlongDim take_along_dim;

using IndexOps = OpList<Gather, GatherBackward, Scatter, ScatterAdd, IndexSelect, IndexAdd,
                        Embedding, EmbeddingBackward, TakeAlongDim>;

}  // namespace rondo
