// What is made of matrix products: linear layers, products of vectors, attention.
#pragma once

#include "core/op/structural.h"

namespace rondo {

/// input @ weight.T + bias. Shapes: input [..., k], weight [n, k], bias [n] -> [..., n]
struct Linear : Derived<Linear> {
  static constexpr Schema schema{
      "linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kMethod = false;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr Linear linear;

/// Matrix products of two batches: [b, m, k] and [b, k, n] -> [b, m, n]
struct Bmm : Derived<Bmm> {
  static constexpr Schema schema{"bmm(Tensor input, Tensor mat2) -> Tensor"};
  static constexpr DtypeSet dtypes = kNumeric;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr Bmm bmm;

/// The sum of products of two vectors of one length.
struct Dot : Derived<Dot> {
  static constexpr Schema schema{"dot(Tensor input, Tensor tensor) -> Tensor"};
  static constexpr DtypeSet dtypes = kNumeric;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr Dot dot;

/// All products of the elements of two vectors: [m] and [n] -> [m, n]
struct Outer : Derived<Outer> {
  static constexpr Schema schema{"outer(Tensor input, Tensor vec2) -> Tensor"};
  static constexpr DtypeSet dtypes = kAnyDtype;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr Outer outer;

/// softmax(query @ key.T * scale + mask) @ value. A bool mask says where attention is allowed;
/// `is_causal` allows keys up to the query's place. `scale` defaults to 1 / sqrt(e). A row without
/// an allowed key is NaN.
///
/// Shapes: query [..., l, e], key [..., s, e], value [..., s, v], mask broadcast to [..., l, s] ->
///         [..., l, v]
/// Errors: ArgumentError for a mask together with is_causal
/// Source: Vaswani et al. 2017, arXiv:1706.03762
struct ScaledDotProductAttention : Derived<ScaledDotProductAttention> {
  static constexpr Schema schema{
      "scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? "
      "attn_mask=None, Scalar dropout_p=0.0, bool is_causal=False, Scalar? scale=None) -> Tensor"};
  static constexpr DtypeSet dtypes = kFloating;
  static constexpr bool kMethod = false;
  static void body(const OpArgs& args, std::vector<Tensor>& outputs);
};
inline constexpr ScaledDotProductAttention scaled_dot_product_attention;

using LinearOps = OpList<Linear, Bmm, Dot, Outer, ScaledDotProductAttention>;

}  // namespace rondo
