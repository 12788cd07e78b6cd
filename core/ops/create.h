// New tensors, and copies.
#pragma once

#include "core/op/elementwise.h"
#include "core/op/structural.h"

namespace rondo {

/// Every element is `fill_value`; the dtype defaults to that of the number (float32 for floats).
struct Full : Generated<Full> {
  static constexpr Schema schema{
      "full(size[] size, Scalar fill_value, Dtype? dtype=None) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr std::uint32_t kOwnDtype = 1;
  static constexpr bool kDifferentiable = false;
  static constexpr bool kMethod = false;
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void expressions(ExprContext& c);
};
inline constexpr Full full;

/// start, start + step, ... below end; the dtype defaults to int64, or float32 if any operand is a
/// float.
struct Arange : Generated<Arange> {
  static constexpr Schema schema{
      "arange(Scalar start, Scalar end, Scalar step=1, Dtype? dtype=None) -> Tensor"};
  static constexpr DtypeSet dtypes = kNumeric;
  static constexpr std::uint32_t kOwnDtype = 7;
  static constexpr bool kDifferentiable = false;
  static constexpr bool kMethod = false;
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void expressions(ExprContext& c);
};
inline constexpr Arange arange;

/// `steps` numbers from start to end, both included and exact, at equal distances; float32 by
/// default. Errors: ArgumentError for a negative count.
struct Linspace : Generated<Linspace> {
  static constexpr Schema schema{
      "linspace(Scalar start, Scalar end, Scalar steps, Dtype? dtype=None) -> Tensor"};
  static constexpr DtypeSet dtypes = kNumeric;
  static constexpr std::uint32_t kOwnDtype = 7;
  static constexpr bool kDifferentiable = false;
  static constexpr bool kMethod = false;
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void expressions(ExprContext& c);
};
inline constexpr Linspace linspace;

/// 1 on the diagonal of an n by m (by default n) matrix, 0 elsewhere; float32 by default.
struct Eye : Derived<Eye> {
  static constexpr Schema schema{"eye(int n, int? m=None, Dtype? dtype=None) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr bool kMethod = false;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr Eye eye;

/// A contiguous copy.
struct Clone : Elementwise<Clone> {
  static constexpr Schema schema{"clone(Tensor input) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static auto compute(auto x) { return x; }
  static void gradient(GradContext& g) { g.set("input", g.grad()); }
};
inline constexpr Clone clone;

/// The elements in another dtype: a rounding step that no optimisation removes.
struct Cast : Elementwise<Cast> {
  static constexpr Schema schema{"cast(Tensor input, Dtype dtype) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr auto kOutput = ElementwiseRule::Output::attribute;
  static auto compute(auto x) { return x; }
  static void gradient(GradContext& g);
};
inline constexpr Cast cast;

/// In place only: the target takes the (broadcast, cast) values of the source, from any device. The
/// values of `input` do not count.
struct Copy : Elementwise<Copy> {
  static constexpr Schema schema{"copy(Tensor input, Tensor src) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static constexpr std::uint32_t kOwnDtype = 3;
  static constexpr auto kOutput = ElementwiseRule::Output::own;
  static constexpr bool kMovesOperands = true;
  static void expressions(ExprContext& c) { c.outputs.push_back(c.inputs[1]); }
  static void gradient(GradContext& g);
};
inline constexpr Copy copy;

/// full with 0, and with 1.
Tensor zeros(const Shape& shape, Dtype dtype);
Tensor ones(const Shape& shape, Dtype dtype);
/// The tensor itself if it has that dtype.
Tensor to_dtype(const Tensor& tensor, Dtype dtype);

using CreateOps = OpList<Full, Arange, Linspace, Eye, Clone, Cast, Copy>;

}  // namespace rondo
