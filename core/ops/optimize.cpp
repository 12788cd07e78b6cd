#include "core/ops/optimize.h"

namespace rondo {
namespace {

/// The number in the class of `like`.
Expr number(Expr value, Expr like) {
  return fn::convert(value, like.reg());
}

/// grad + weight_decay * param; grad itself, whatever param is, where weight_decay is 0.
Expr decayed(Expr grad, Expr param, Expr weight_decay) {
  const Expr factor = number(weight_decay, param);
  return fn::select(fn::eq(factor, 0.0), grad, grad + factor * param);
}

/// The numbers of an Adam step, as float64 expressions.
struct AdamNumbers {
  Expr lr, beta1, beta2, eps, weight_decay, correction1, correction2;

  AdamNumbers(const ExprContext& c, std::size_t first) {
    Expr* const places[] = {&lr, &beta1, &beta2, &eps, &weight_decay, &correction1, &correction2};
    for (std::size_t i = 0; i < std::size(places); ++i) {
      *places[i] = fn::convert(c.inputs[first + i], Reg::f64);
    }
  }
};

struct Moments {
  Expr param, first, second;
};

/// The decayed parameter and the new moments.
Moments adam_moments(const ExprContext& c, const AdamNumbers& n, Expr grad) {
  const Expr param = c.inputs[0];
  const bool decoupled = c.attrs[0].as_bool();
  const Expr signed_grad = c.attrs[1].as_bool() ? -grad : grad;
  const Expr g = decoupled ? signed_grad : decayed(signed_grad, param, n.weight_decay);
  const Expr kept = number(1.0 - n.lr * n.weight_decay, param);
  Moments result;
  result.param = decoupled ? param * kept : param;
  result.first = c.inputs[1] + number(1.0 - n.beta1, param) * (g - c.inputs[1]);
  result.second = c.inputs[2] * number(n.beta2, param) + number(1.0 - n.beta2, param) * g * g;
  return result;
}

Expr adam_param(const AdamNumbers& n, const Moments& m, Expr second) {
  const Expr root = number(fn::sqrt(n.correction2), m.param);
  const Expr divisor = fn::sqrt(second) / root + number(n.eps, m.param);
  return m.param - number(n.lr / n.correction1, m.param) * m.first / divisor;
}

}  // namespace

void SgdStep::expressions(ExprContext& c) {
  const Expr param = c.inputs[0];
  const Expr grad = c.attrs[0].as_bool() ? -c.inputs[1] : c.inputs[1];
  const Expr g = decayed(grad, param, c.inputs[3]);
  c.outputs.push_back(param - number(c.inputs[2], param) * g);
}

void SgdMomentumStep::expressions(ExprContext& c) {
  const Expr param = c.inputs[0];
  const Expr grad = c.attrs[1].as_bool() ? -c.inputs[2] : c.inputs[2];
  const Expr g = decayed(grad, param, c.inputs[6]);
  const Expr momentum = number(c.inputs[4], param);
  const Expr share = number(1.0 - fn::convert(c.inputs[5], Reg::f64), param);
  const Expr buffer = momentum * c.inputs[1] + share * g;
  const Expr direction = c.attrs[0].as_bool() ? g + momentum * buffer : buffer;
  c.outputs.push_back(param - number(c.inputs[3], param) * direction);
  c.outputs.push_back(buffer);
}

void AdamStep::expressions(ExprContext& c) {
  const AdamNumbers n(c, 4);
  const Moments m = adam_moments(c, n, c.inputs[3]);
  c.outputs = {adam_param(n, m, m.second), m.first, m.second};
}

void AmsgradStep::expressions(ExprContext& c) {
  const AdamNumbers n(c, 5);
  const Moments m = adam_moments(c, n, c.inputs[4]);
  const Expr largest = fn::maximum(c.inputs[3], m.second);
  c.outputs = {adam_param(n, m, largest), m.first, m.second, largest};
}

}  // namespace rondo
