// Normalisations over axes: softmax and its relatives.
#pragma once

#include "core/op/structural.h"

namespace rondo {

/// exp(input) / sum of exp(input) over `dim`, without overflow. A row of -inf alone gives NaN.
struct Softmax : Composite<Softmax> {
  static constexpr Schema schema{"softmax(Tensor input, int dim, Dtype? dtype=None) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr Saves saves{"output"};
  static void infer(const OpArgs& args, std::vector<Meta>& outputs);
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
  static void gradient(GradContext& g);
};
inline constexpr Softmax softmax;

using NormalizeOps = OpList<Softmax>;

}  // namespace rondo
