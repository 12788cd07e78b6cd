// Products.
#pragma once

#include "core/op/structural.h"

namespace rondo {

/// Matrix product over the last two axes; leading axes broadcast; a vector is a row (left) or a
/// column (right).
///
/// Shapes: input [..., m, k], other [..., k, n] -> [..., m, n]
/// Dtypes: numeric, equal; 16-bit floats accumulate in float32
/// Errors: ShapeError if a rank is 0, if k differs, or if leading axes do not broadcast
/// Source: NumPy `matmul`
struct Matmul : ContractionOp<Matmul> {
  static constexpr Schema schema{"matmul(Tensor input, Tensor other) -> Tensor"};
  static constexpr DtypeSet dtypes = kNumeric;
  static constexpr Contraction kContraction = Contraction::matmul;
  static constexpr Saves saves{"input:other", "other:input"};
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void gradient(GradContext& g);
};
inline constexpr Matmul matmul;

using MatmulOps = OpList<Matmul>;

}  // namespace rondo
