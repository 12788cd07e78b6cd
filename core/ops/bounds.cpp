#include "core/ops/bounds.h"

#include <limits>

#include "core/base/error.h"
#include "core/ops/arithmetic.h"
#include "core/ops/bitwise.h"
#include "core/ops/blend.h"
#include "core/ops/compare.h"
#include "core/ops/rounding.h"

namespace rondo {
namespace {

/// The gradient of the operand that wins where `loses` is false; half of it where both are equal.
Tensor winner_gradient(const GradContext& g, const Tensor& equal, const Tensor& loses) {
  return where(loses, 0, where(equal, g.grad() * 0.5, g.grad()));
}

}  // namespace

void Maximum::gradient(GradContext& g) {
  const Tensor& x = g.input("input");
  const Tensor& y = g.input("other");
  const Tensor equal = eq(x, y);
  if (g.needs("input")) {
    g.set("input", winner_gradient(g, equal, lt(x, y)));
  }
  if (g.needs("other")) {
    g.set("other", winner_gradient(g, equal, lt(y, x)));
  }
}

void Minimum::gradient(GradContext& g) {
  const Tensor& x = g.input("input");
  const Tensor& y = g.input("other");
  const Tensor equal = eq(x, y);
  if (g.needs("input")) {
    g.set("input", winner_gradient(g, equal, gt(x, y)));
  }
  if (g.needs("other")) {
    g.set("other", winner_gradient(g, equal, gt(y, x)));
  }
}

void Clamp::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  check<ArgumentError>(args.inputs[1].defined() || args.inputs[2].defined(),
                       "clamp: min and max are None; at least one is required");
  infer_elementwise(args, outputs);
}

void Clamp::gradient(GradContext& g) {
  const Tensor& x = g.input("input");
  const Tensor& low = g.input("min");
  const Tensor& high = g.input("max");
  if (g.needs("input")) {
    Tensor grad = g.grad();
    grad = low.defined() ? where(ge(x, low), grad, 0) : grad;
    g.set("input", high.defined() ? where(le(x, high), grad, 0) : grad);
  }
  if (low.defined() && g.needs("min")) {
    const Tensor grad = where(lt(x, low), g.grad(), 0);
    g.set("min", high.defined() ? where(lt(low, high), grad, 0) : grad);
  }
  if (high.defined() && g.needs("max")) {
    Tensor cut = gt(x, high);
    cut = low.defined() ? logical_or(cut, gt(low, high)) : cut;
    g.set("max", where(cut, g.grad(), 0));
  }
}

void Abs::gradient(GradContext& g) {
  g.set("input", chain(g.grad(), sign(g.input("input"))));
}

void Sign::gradient(GradContext& g) {
  detail::zero_gradient(g);
}

namespace {

double largest(Dtype dtype) {
  switch (dtype) {
    case Dtype::float16:
      return 65504.0;
    case Dtype::bfloat16:
      return 0x1.fep127;
    case Dtype::float32:
      return static_cast<double>(std::numeric_limits<float>::max());
    default:
      return std::numeric_limits<double>::max();
  }
}

}  // namespace

void NanToNum::expressions(ExprContext& c) {
  const Expr x = c.inputs[0];
  if (!is_floating(x.reg())) {
    c.outputs.push_back(x);
    return;
  }
  const auto or_else = [&](Expr given, double fallback) {
    return given.present() ? fn::convert(given, x.reg()) : x.like(fallback);
  };
  const double infinity = std::numeric_limits<double>::infinity();
  const Expr high = or_else(c.inputs[2], largest(c.common));
  const Expr low = or_else(c.inputs[3], -largest(c.common));
  const Expr number = fn::select(fn::isnan(x), or_else(c.inputs[1], 0.0), x);
  const Expr below = fn::select(fn::eq(x, infinity), high, number);
  c.outputs.push_back(fn::select(fn::eq(x, -infinity), low, below));
}

void NanToNum::gradient(GradContext& g) {
  g.set("input", where(isfinite(g.input("input")), g.grad(), 0));
}

}  // namespace rondo
