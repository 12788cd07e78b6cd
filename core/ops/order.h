// Sorting, the largest elements, and running sums along an axis.
#pragma once

#include "core/op/structural.h"

namespace rondo {

/// The elements along `dim` in rising (or falling) order, and their places; equal elements keep
/// their order; NaN is larger than every number.
struct Sort : FunctionOp<Sort> {
  static constexpr Schema schema{
      "sort(Tensor input, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr OpKind kKind = OpKind::opaque;
  static constexpr Saves saves{"output1"};
  static constexpr bool kRowsBesideDim = true;
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void run(const OpArgs& args, std::span<Tensor> outputs);
  static void gradient(GradContext& g);
};
inline constexpr Sort sort;

/// The places of sort.
struct Argsort : Derived<Argsort> {
  static constexpr Schema schema{
      "argsort(Tensor input, int dim=-1, bool descending=False) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr Argsort argsort;

/// The `k` largest (or least) elements along `dim`, and their places: in order whatever `sorted`
/// says, the first of equals first. Errors: ArgumentError unless 0 <= k <= the size of the axis.
struct Topk : FunctionOp<Topk> {
  static constexpr Schema schema{
      "topk(Tensor input, int k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor "
      "values, Tensor indices)"};
  static constexpr DtypeSet dtypes = kNumeric;
  static constexpr OpKind kKind = OpKind::opaque;
  static constexpr Saves saves{"output1"};
  static constexpr bool kRowsBesideDim = true;
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void run(const OpArgs& args, std::span<Tensor> outputs);
  static void gradient(GradContext& g);
};
inline constexpr Topk topk;

/// Running sums along `dim`, added one after the other; integers and bools sum in int64, 16-bit
/// floats in float32.
struct Cumsum : Derived<Cumsum> {
  static constexpr Schema schema{"cumsum(Tensor input, int dim, Dtype? dtype=None) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr Cumsum cumsum;

/// cumsum in the dtype of the input.
struct RunningSum : FunctionOp<RunningSum> {
  static constexpr Schema schema{"running_sum(Tensor input, int dim) -> Tensor"};
  static constexpr DtypeSet dtypes = kNumeric;
  static constexpr OpKind kKind = OpKind::scan;
  static constexpr bool kMethod = false;
  static constexpr bool kRowsBesideDim = true;
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void run(const OpArgs& args, std::span<Tensor> outputs);
  static void gradient(GradContext& g);
};
inline constexpr RunningSum running_sum;

using OrderOps = OpList<Sort, Argsort, Topk, Cumsum, RunningSum>;

}  // namespace rondo
