#include "core/ops/create.h"

#include <cmath>

#include "core/base/error.h"
#include "core/ops/arithmetic.h"
#include "core/ops/compare.h"
#include "core/ops/reshape.h"

namespace rondo {

void Full::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  const Shape shape(args.attrs[0].as_ints());
  check_numbers(args);
  const Dtype number = args.inputs[0].dtype();
  const Dtype fallback = number == Dtype::float64 ? Dtype::float32 : number;
  outputs.push_back({shape, args.attrs[1].is_none() ? fallback : args.attrs[1].as_dtype()});
}

void Full::expressions(ExprContext& c) {
  c.outputs.push_back(c.inputs[0]);
}

namespace {

/// How many numbers lie from start on before end, exactly: distances are taken without a sign, so
/// that none overflows.
std::uint64_t count_integers(std::int64_t start, std::int64_t end, std::int64_t step) {
  const auto from = static_cast<std::uint64_t>(start);
  const auto to = static_cast<std::uint64_t>(end);
  const auto width = static_cast<std::uint64_t>(step);
  if (step > 0 ? end <= start : end >= start) {
    return 0;
  }
  return step > 0 ? (to - from - 1) / width + 1 : (from - to - 1) / (0 - width) + 1;
}

}  // namespace

void Arange::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  check_numbers(args);
  bool floating = false;
  for (const Tensor& input : args.inputs) {
    floating = floating || is_floating(input.dtype());
  }
  const Scalar start = args.inputs[0].item();
  const Scalar end = args.inputs[1].item();
  const Scalar step = args.inputs[2].item();
  check<ArgumentError>(floating ? step.to_double() != 0 : step.to_int() != 0,
                       "arange: the step is 0; it must not be");
  const double count =
      floating ? std::ceil((end.to_double() - start.to_double()) / step.to_double())
               : static_cast<double>(count_integers(start.to_int(), end.to_int(), step.to_int()));
  check<ArgumentError>(std::isfinite(count),
                       "arange: from {} to {} by {}; the count must be finite", start.to_double(),
                       end.to_double(), step.to_double());
  check<ArgumentError>(count < 0x1p59, "arange: from {} to {} by {}; the count must be below 2^59",
                       start.to_double(), end.to_double(), step.to_double());
  const Dtype fallback = floating ? Dtype::float32 : Dtype::int64;
  const Dtype dtype = args.attrs[0].is_none() ? fallback : args.attrs[0].as_dtype();
  check_dtype(args.op, "dtype", dtype);
  outputs.push_back({Shape{count > 0 ? static_cast<std::int64_t>(count) : 0}, dtype});
}

void Arange::expressions(ExprContext& c) {
  // Inputs: start, end, step, index. Integers count in i64, floats in f64, rounded once at the end.
  const bool floating = is_floating(c.inputs[0].reg()) || is_floating(c.inputs[2].reg());
  const Reg reg = floating ? Reg::f64 : Reg::i64;
  const Expr index = fn::convert(c.inputs[3], reg);
  c.outputs.push_back(fn::convert(c.inputs[0], reg) + index * fn::convert(c.inputs[2], reg));
}

void Linspace::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  check_numbers(args);
  const std::int64_t steps = args.inputs[2].item().to_int();
  check<ArgumentError>(steps >= 0, "linspace: steps is {}; it must not be negative", steps);
  const Dtype dtype = args.attrs[0].is_none() ? Dtype::float32 : args.attrs[0].as_dtype();
  check_dtype(args.op, "dtype", dtype);
  outputs.push_back({Shape{steps}, dtype});
}

void Linspace::expressions(ExprContext& c) {
  // Each half counts from its own end, so that both ends are exact.
  const Expr start = fn::convert(c.inputs[0], Reg::f64);
  const Expr end = fn::convert(c.inputs[1], Reg::f64);
  const Expr last = fn::convert(c.inputs[2], Reg::f64) - 1.0;
  const Expr index = fn::convert(c.inputs[3], Reg::f64);
  const Expr step = (end - start) / fn::maximum(last, 1.0);
  const Expr upper = fn::gt(index * 2.0, last);
  c.outputs.push_back(fn::select(upper, end - (last - index) * step, start + index * step));
}

void Eye::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const std::int64_t rows = args.attrs[0].as_int();
  const std::int64_t columns = args.attrs[1].is_none() ? rows : args.attrs[1].as_int();
  check<ArgumentError>(rows >= 0 && columns >= 0,
                       "eye: n is {}, m is {}; they must not be negative", rows, columns);
  const Dtype dtype = args.attrs[2].is_none() ? Dtype::float32 : args.attrs[2].as_dtype();
  const Tensor row = unsqueeze(arange(0, rows), 1);
  outputs.push_back(to_dtype(eq(row, arange(0, columns)), dtype));
}

void Cast::gradient(GradContext& g) {
  g.set("input", to_dtype(g.grad(), g.meta(0).dtype));
}

void Copy::gradient(GradContext& g) {
  g.set("src", g.grad());
}

Tensor zeros(const Shape& shape, Dtype dtype) {
  return full(shape, 0, dtype);
}
Tensor ones(const Shape& shape, Dtype dtype) {
  return full(shape, 1, dtype);
}

Tensor to_dtype(const Tensor& tensor, Dtype dtype) {
  return tensor.dtype() == dtype ? tensor : cast(tensor, dtype);
}

}  // namespace rondo
