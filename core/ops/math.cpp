#include "core/ops/math.h"

#include <numbers>

#include "core/ops/arithmetic.h"
#include "core/ops/blend.h"
#include "core/ops/compare.h"
#include "core/ops/create.h"

namespace rondo {

void Exp::gradient(GradContext& g) {
  g.set("input", chain(g.grad(), g.output()));
}

void Exp2::gradient(GradContext& g) {
  g.set("input", chain(g.grad(), wide(g.output()) * std::numbers::ln2));
}

void Expm1::gradient(GradContext& g) {
  g.set("input", chain(g.grad(), wide(g.output()) + 1));
}

void Log::gradient(GradContext& g) {
  g.set("input", chain_div(g.grad(), g.input("input")));
}

void Log2::gradient(GradContext& g) {
  g.set("input", chain_div(g.grad(), wide(g.input("input")) * std::numbers::ln2));
}

void Log10::gradient(GradContext& g) {
  g.set("input", chain_div(g.grad(), wide(g.input("input")) * std::numbers::ln10));
}

void Log1p::gradient(GradContext& g) {
  g.set("input", chain_div(g.grad(), wide(g.input("input")) + 1));
}

void Sqrt::gradient(GradContext& g) {
  g.set("input", chain_div(g.grad(), wide(g.output()) * 2));
}

void Rsqrt::gradient(GradContext& g) {
  const Tensor y = wide(g.output());
  g.set("input", chain(g.grad(), -0.5 * (y * y * y)));
}

void Reciprocal::gradient(GradContext& g) {
  const Tensor y = wide(g.output());
  g.set("input", -chain(g.grad(), y * y));
}

void Square::gradient(GradContext& g) {
  g.set("input", chain(g.grad(), g.input("input") * 2));
}

namespace {

/// exponent * input ** (exponent - 1), with the cases where the exponent is a known number.
Tensor pow_slope(const Tensor& input, const Tensor& exponent) {
  if (exponent.is_immediate()) {
    const double e = exponent.item().to_double();
    if (e == 0 || e == 1) {
      return Operand(e).tensor;
    }
    return e == 2 ? input * 2 : e * pow(input, Operand(e - 1).tensor);
  }
  return where(eq(exponent, 0), 0, exponent * pow(input, exponent - 1));
}

}  // namespace

void Pow::gradient(GradContext& g) {
  const Tensor x = wide(g.input("input"));
  const Tensor& exponent = g.input("exponent");
  if (g.needs("input")) {
    g.set("input", chain(g.grad(), pow_slope(x, exponent)));
  }
  if (g.needs("exponent")) {
    // 0 ** e stays 0 for every e > 0 (and counts as such at e = 0), though the logarithm of 0 is
    // infinite.
    const Tensor flat = mul(eq(x, 0), ge(exponent, 0));
    g.set("exponent", chain(g.grad(), where(flat, 0, pow(x, exponent) * log(x))));
  }
}

void Sinh::gradient(GradContext& g) {
  g.set("input", chain(g.grad(), cosh(wide(g.input("input")))));
}

void Cosh::gradient(GradContext& g) {
  g.set("input", chain(g.grad(), sinh(wide(g.input("input")))));
}

void Tanh::gradient(GradContext& g) {
  g.set("input", tanh_backward(g.grad(), g.output()));
}

void TanhBackward::gradient(GradContext& g) {
  g.set("grad", tanh_backward(g.grad(), g.input("result")));
  if (g.needs("result")) {
    const Tensor y = wide(g.input("result"));
    g.set("result", chain(g.grad(), chain(wide(g.input("grad")), -2 * y)));
  }
}

void Erf::gradient(GradContext& g) {
  const Tensor x = wide(g.input("input"));
  g.set("input", chain(g.grad(), exp(-(x * x)) * (2 * std::numbers::inv_sqrtpi)));
}

}  // namespace rondo
