// Copies of a tensor with a part of it replaced: what the gradients of views are made of.
#pragma once

#include "core/op/structural.h"

namespace rondo {

/// A copy of `input` whose elements slice(dim, start, end, step) are those of `src`.
struct SliceScatter : FunctionOp<SliceScatter> {
  static constexpr Schema schema{
      "slice_scatter(Tensor input, Tensor src, int dim=0, int? start=None, int? end=None, int "
      "step=1) -> "
      "Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr OpKind kKind = OpKind::index;
  static constexpr bool kRowsBesideDim = true;
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void run(const OpArgs& args, std::span<Tensor> outputs);
  static void gradient(GradContext& g);
};
inline constexpr SliceScatter slice_scatter;

/// A copy of `input` whose elements as_strided(size, stride, storage_offset) are those of `src`.
struct AsStridedScatter : FunctionOp<AsStridedScatter> {
  static constexpr Schema schema{
      "as_strided_scatter(Tensor input, Tensor src, size[] size, size[] stride, int "
      "storage_offset=0) -> "
      "Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr OpKind kKind = OpKind::index;
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void run(const OpArgs& args, std::span<Tensor> outputs);
  static void gradient(GradContext& g);
};
inline constexpr AsStridedScatter as_strided_scatter;

using ScatterOps = OpList<SliceScatter, AsStridedScatter>;

}  // namespace rondo
