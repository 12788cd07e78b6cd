#include "core/ops/statistics.h"

#include <limits>

#include "core/ops/arithmetic.h"
#include "core/ops/blend.h"
#include "core/ops/bounds.h"
#include "core/ops/compare.h"
#include "core/ops/create.h"
#include "core/ops/index.h"
#include "core/ops/math.h"
#include "core/ops/reduce.h"
#include "core/ops/reshape.h"

namespace rondo {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The variance in the compute dtype.
Tensor wide_variance(const OpArgs& args) {
  const Tensor x = wide(args.inputs[0]);
  const Tensor distance = x - mean(x, args.attrs[0], true);
  return mean_corrected(distance * distance, args.inputs[1], args.attrs[0], args.attrs[1]);
}

}  // namespace

void Var::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  infer_reduction(args, outputs);
}

void Var::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  outputs.push_back(to_dtype(wide_variance(args), args.inputs[0].dtype()));
}

void Std::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  infer_reduction(args, outputs);
}

void Std::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  outputs.push_back(to_dtype(sqrt(wide_variance(args)), args.inputs[0].dtype()));
}

void Logsumexp::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  infer_reduction(args, outputs);
}

void Logsumexp::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Tensor x = wide(args.inputs[0]);
  const Attr& dim = args.attrs[0];
  const Tensor largest = row_max(x, dim, true);
  const Tensor shift = where(isfinite(largest), largest, 0);
  const auto shaped = [&](const Tensor& row) {
    const ArgValue removed = dim.as_ints().empty() ? ArgValue() : ArgValue(dim);
    return args.attrs[1].as_bool() ? row : squeeze(row, removed);
  };
  const Tensor total = sum(exp(x - shift), dim, true);
  outputs.push_back(to_dtype(log(shaped(total)) + shaped(shift), args.inputs[0].dtype()));
}

void Logsumexp::gradient(GradContext& g) {
  const Tensor result = restore_axes(g, wide(g.output()));
  const Tensor shift = where(eq(result, -kInfinity), 0, result);
  g.set("input", chain(restore_axes(g, g.grad()), exp(wide(g.input("input")) - shift)));
}

void Norm::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Tensor& x = args.inputs[0];
  const Attr& dim = args.attrs[0];
  const Attr& keep = args.attrs[1];
  const double p = args.inputs[1].item().to_double();
  check_dtype(args.op, "input", x.dtype());
  if (p == 2) {
    outputs.push_back(norm2(x, dim, keep));
  } else if (p == 1) {
    outputs.push_back(sum(abs(x), dim, keep));
  } else if (p == 0) {
    outputs.push_back(sum(to_dtype(ne(x, 0), x.dtype()), dim, keep));
  } else if (p == kInfinity || p == -kInfinity) {
    outputs.push_back(p > 0 ? amax(abs(x), dim, keep) : amin(abs(x), dim, keep));
  } else {
    // Zeros are replaced before the powers, whose slopes there are infinite, and put back.
    const auto power = [](const Tensor& t, double exponent) {
      const Tensor zero = eq(t, 0);
      return where(zero, exponent > 0 ? 0.0 : kInfinity, pow(where(zero, 1, t), exponent));
    };
    outputs.push_back(power(sum(power(abs(x), p), dim, keep), 1 / p));
  }
}

void CountNonzero::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  outputs.push_back(sum(ne(args.inputs[0], 0), args.attrs[0]));
}

namespace {

/// The elements at the places that `find` gives, and the places.
template <class Find>
void extreme_with_place(const OpArgs& args, const Find& find, std::vector<Tensor>& outputs) {
  const Tensor& x = args.inputs[0];
  const Attr& dim = args.attrs[0];
  const Tensor place = find(x, dim, true);
  const Tensor value = x.rank() == 0 ? clone(x) : gather(x, dim, place);
  const bool keep = args.attrs[1].as_bool() || x.rank() == 0;
  outputs.push_back(keep ? value : squeeze(value, dim));
  outputs.push_back(keep ? place : squeeze(place, dim));
}

}  // namespace

void MaxDim::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  extreme_with_place(args, argmax, outputs);
}

void MinDim::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  extreme_with_place(args, argmin, outputs);
}

}  // namespace rondo
