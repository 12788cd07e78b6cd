#include "core/ops/random.h"

#include <cmath>

#include "core/base/error.h"
#include "core/ops/memory.h"
#include "core/ops/order.h"
#include "core/ops/rounding.h"

namespace rondo {
namespace {

/// What an element draws with: the last three inputs of a random op.
struct Draw {
  Expr seed;
  Expr offset;
  Expr index;

  explicit Draw(const ExprContext& c)
      : seed(fn::convert(c.inputs[c.inputs.size() - 3], Reg::i64)),
        offset(fn::convert(c.inputs[c.inputs.size() - 2], Reg::i64)),
        index(c.inputs[c.inputs.size() - 1]) {}

  Expr uniform(Reg reg) const {
    return reg == Reg::f64 ? fn::uniform_f64(seed, offset, index)
                           : fn::uniform_f32(seed, offset, index);
  }
  Expr normal(Reg reg) const {
    return reg == Reg::f64 ? fn::normal_f64(seed, offset, index)
                           : fn::normal_f32(seed, offset, index);
  }
};

Dtype dtype_or(const Attr& attr, Dtype fallback) {
  return attr.is_none() ? fallback : attr.as_dtype();
}

void infer_creation(const OpArgs& args, Dtype fallback, std::vector<Meta>& outputs) {
  const Shape shape(args.attr("size").as_ints());
  check_numbers(args);
  const Dtype dtype = dtype_or(args.attr("dtype"), fallback);
  check_dtype(args.op, "dtype", dtype);
  outputs.push_back({shape, dtype});
}

}  // namespace

void Rand::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  infer_creation(args, Dtype::float32, outputs);
}

void Rand::expressions(ExprContext& c) {
  const Dtype dtype = dtype_or(c.attrs[1], Dtype::float32);
  const Expr u = Draw(c).uniform(reg_of(dtype));
  if (dtype == Dtype::float16 || dtype == Dtype::bfloat16) {
    // Only bits that the dtype holds, so that nothing rounds up to 1.
    const double steps = dtype == Dtype::float16 ? 2048.0 : 256.0;
    c.outputs.push_back(fn::floor(u * steps) * (1.0 / steps));
  } else {
    c.outputs.push_back(u);
  }
}

void Randn::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  infer_creation(args, Dtype::float32, outputs);
}

void Randn::expressions(ExprContext& c) {
  c.outputs.push_back(Draw(c).normal(reg_of(dtype_or(c.attrs[1], Dtype::float32))));
}

void Randint::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  const Scalar low = args.inputs[0].item();
  const Scalar high = args.inputs[1].item();
  check<ArgumentError>(low.to_double() < high.to_double(),
                       "randint: low is {}, high is {}; low must be less", low.str(), high.str());
  std::int64_t count = 0;
  check<ArgumentError>(!__builtin_sub_overflow(high.to_int(), low.to_int(), &count),
                       "randint: low is {}, high is {}; they must be less than 2^63 apart",
                       low.str(), high.str());
  infer_creation(args, Dtype::int64, outputs);
}

void Randint::expressions(ExprContext& c) {
  const Expr low = fn::convert(c.inputs[0], Reg::i64);
  const Expr high = fn::convert(c.inputs[1], Reg::i64);
  const Expr count = fn::to_f64(high - low);
  c.outputs.push_back(low + fn::to_i64(fn::floor(Draw(c).uniform(Reg::f64) * count)));
}

void Bernoulli::expressions(ExprContext& c) {
  const Expr p = c.inputs[0];
  const Expr hit = fn::lt(Draw(c).uniform(p.reg()), p);
  c.outputs.push_back(fn::select(hit, p.like(1), p.like(0)));
}

void Bernoulli::gradient(GradContext& g) {
  detail::zero_gradient(g);
}

void Dropout::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  const double p = args.inputs[1].item().to_double();
  check<ArgumentError>(p >= 0 && p <= 1, "dropout: p is {}; it must be from 0 to 1", p);
  infer_elementwise(args, outputs);
}

void Dropout::expressions(ExprContext& c) {
  const Expr x = c.inputs[0];
  const Expr p = fn::convert(c.inputs[1], Reg::f64);
  const Expr scale = fn::convert(1.0 / (1.0 - p), x.reg());
  const Expr dropped = fn::lt(Draw(c).uniform(x.reg()), fn::convert(p, x.reg()));
  c.outputs.push_back(fn::select(dropped, 0.0, x * scale));
}

void Dropout::gradient(GradContext& g) {
  g.set("input", dropout(g.grad(), g.input("p"), g.input("seed"), g.input("offset")));
}

void Randperm::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const std::int64_t n = args.attrs[0].as_int();
  check<ArgumentError>(n >= 0, "randperm: n is {}; it must not be negative", n);
  outputs.push_back(argsort(rand(Ints{n}, Dtype::float64)));
}

void Multinomial::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Tensor& input = args.inputs[0];
  const std::int64_t samples = args.attrs[0].as_int();
  check<ShapeError>(input.rank() == 1 || input.rank() == 2,
                    "multinomial: input is {}; expected one or two axes", input.shape());
  check<ArgumentError>(samples > 0, "multinomial: num_samples is {}; it must be positive", samples);
  Shape shape = input.shape();
  shape[shape.rank() - 1] = samples;
  outputs.push_back(multinomial_pick(input, rand(shape, Dtype::float64), args.attrs[1]));
}

void MultinomialPick::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  check_dtype(args.op, "input", args.inputs[0].dtype());
  const Tensor& uniform = args.inputs[1];
  check<DtypeError>(uniform.dtype() == Dtype::float64,
                    "multinomial_pick: uniform is {}; expected float64",
                    dtype_name(uniform.dtype()));
  Shape rows = args.inputs[0].shape();
  if (rows.rank() > 0 && uniform.rank() > 0) {
    rows[rows.rank() - 1] = uniform.shape().back();
  }
  check<ShapeError>(rows.rank() > 0 && uniform.shape() == rows && rows.back() > 0,
                    "multinomial_pick: input is {}, uniform is {}; expected [..., n] and [..., k], "
                    "with k above 0",
                    args.inputs[0].shape(), uniform.shape());
  outputs.push_back({uniform.shape(), Dtype::int64});
}

namespace {

/// Checks the weights of a row; returns how many are positive.
std::int64_t count_positive(std::span<const double> weights, std::int64_t row) {
  std::int64_t positive = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    check<ArgumentError>(weights[i] >= 0 && std::isfinite(weights[i]),
                         "multinomial: weight {} of row {} is {}; weights must be finite and not "
                         "negative",
                         i, row, weights[i]);
    positive += weights[i] > 0 ? 1 : 0;
  }
  check<ArgumentError>(positive > 0, "multinomial: row {} has no positive weight; one is required",
                       row);
  return positive;
}

/// The first place whose running sum exceeds `part` of the total; the last positive one if rounding
/// leaves none.
std::size_t pick(std::span<const double> weights, double part) {
  double total = 0;
  for (const double weight : weights) {
    total += weight;
  }
  double sum = 0;
  std::size_t last = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    sum += weights[i];
    if (weights[i] > 0) {
      last = i;
      if (sum > part * total) {
        break;
      }
    }
  }
  return last;
}

}  // namespace

void MultinomialPick::run(const OpArgs& args, std::span<Tensor> outputs) {
  const Tensor input = detail::dense(args.inputs[0]);
  const Tensor uniform = detail::dense(args.inputs[1]);
  const bool replacement = args.attrs[0].as_bool();
  const std::int64_t samples = uniform.shape().back();
  const std::int64_t rows = uniform.numel() / samples;
  std::vector<double> weights(static_cast<std::size_t>(input.shape().back()));
  auto* to = detail::raw_elements<std::int64_t>(outputs[0]);
  const auto* parts = detail::elements<double>(uniform);
  detail::visit_floating(input.dtype(), [&](auto element) {
    using Element = decltype(element);
    const auto* from = detail::elements<typename Element::Storage>(input);
    for (std::int64_t row = 0; row < rows; ++row) {
      for (double& weight : weights) {
        weight = static_cast<double>(Element::load(*from++));
      }
      const std::int64_t positive = count_positive(weights, row);
      check<ArgumentError>(replacement || samples <= positive,
                           "multinomial: {} samples without replacement of row {}; it has {} "
                           "positive weights",
                           samples, row, positive);
      for (std::int64_t j = 0; j < samples; ++j) {
        const std::size_t place = pick(weights, *parts++);
        *to++ = static_cast<std::int64_t>(place);
        weights[place] = replacement ? weights[place] : 0;
      }
    }
  });
}

}  // namespace rondo
