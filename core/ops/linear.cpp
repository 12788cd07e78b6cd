#include "core/ops/linear.h"

#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/ops/arithmetic.h"
#include "core/ops/blend.h"
#include "core/ops/join.h"
#include "core/ops/matmul.h"
#include "core/ops/normalize.h"
#include "core/ops/random.h"
#include "core/ops/reshape.h"

namespace rondo {

void Linear::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Tensor& x = args.inputs[0];
  const Tensor& weight = args.inputs[1];
  const Tensor& bias = args.inputs[2];
  check<ShapeError>(x.rank() > 0 && weight.rank() == 2 && x.shape().back() == weight.shape()[1],
                    "linear: input is {}, weight is {}; expected [..., k] and [n, k]", x.shape(),
                    weight.shape());
  const Tensor product = matmul(x, transpose(weight, 0, 1));
  if (!bias.defined()) {
    outputs.push_back(product);
    return;
  }
  check<ShapeError>(bias.shape() == Shape{weight.shape()[0]},
                    "linear: bias is {}, weight is {}; expected [n] and [n, k]", bias.shape(),
                    weight.shape());
  outputs.push_back(product + bias);
}

void Bmm::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Shape& a = args.inputs[0].shape();
  const Shape& b = args.inputs[1].shape();
  check<ShapeError>(a.rank() == 3 && b.rank() == 3 && a[0] == b[0] && a[2] == b[1],
                    "bmm: input is {}, mat2 is {}; expected [b, m, k] and [b, k, n]", a, b);
  outputs.push_back(matmul(args.inputs[0], args.inputs[1]));
}

void Dot::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Shape& a = args.inputs[0].shape();
  const Shape& b = args.inputs[1].shape();
  check<ShapeError>(a.rank() == 1 && a == b, "dot: input is {}, tensor is {}; expected [n] twice",
                    a, b);
  outputs.push_back(matmul(args.inputs[0], args.inputs[1]));
}

void Outer::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Shape& a = args.inputs[0].shape();
  const Shape& b = args.inputs[1].shape();
  check<ShapeError>(a.rank() == 1 && b.rank() == 1,
                    "outer: input is {}, vec2 is {}; expected one axis each", a, b);
  outputs.push_back(unsqueeze(args.inputs[0], 1) * args.inputs[1]);
}

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Scores with the places that are not allowed set to -inf.
Tensor masked(const OpArgs& args, const Tensor& scores) {
  const Tensor& mask = args.inputs[3];
  if (args.attr("is_causal").as_bool()) {
    check<ArgumentError>(!mask.defined(), "{}: attn_mask and is_causal are both given; use one",
                         args.op.name);
    const Tensor allowed =
        lower_triangle(scores.shape()[scores.rank() - 2], scores.shape().back(), 0);
    return where(allowed, scores, -kInfinity);
  }
  if (!mask.defined()) {
    return scores;
  }
  return mask.dtype() == Dtype::boolean ? where(mask, scores, -kInfinity) : scores + mask;
}

}  // namespace

void ScaledDotProductAttention::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Tensor& query = args.inputs[0];
  const Tensor& key = args.inputs[1];
  const Tensor& value = args.inputs[2];
  check<ShapeError>(query.rank() >= 2 && key.rank() >= 2 && value.rank() >= 2,
                    "{}: query is {}, key is {}, value is {}; expected at least two axes each",
                    args.op.name, query.shape(), key.shape(), value.shape());
  check<ShapeError>(query.shape().back() == key.shape().back() &&
                        key.shape()[key.rank() - 2] == value.shape()[value.rank() - 2],
                    "{}: query is {}, key is {}, value is {}; expected [..., l, e], [..., s, e] "
                    "and [..., s, v]",
                    args.op.name, query.shape(), key.shape(), value.shape());
  const Tensor& given = args.input("scale");
  const double width = static_cast<double>(query.shape().back());
  const double scale = given.defined() ? given.item().to_double() : 1 / std::sqrt(width);
  const Tensor scores = masked(args, matmul(query, transpose(key, -2, -1)) * scale);
  Tensor weights = softmax(scores, -1);
  if (args.input("dropout_p").item().to_double() > 0) {
    weights = dropout(weights, args.input("dropout_p"));
  }
  outputs.push_back(matmul(weights, value));
}

}  // namespace rondo
