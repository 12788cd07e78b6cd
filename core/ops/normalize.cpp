#include "core/ops/normalize.h"

#include "core/base/error.h"
#include "core/ops/arithmetic.h"
#include "core/ops/create.h"
#include "core/ops/math.h"
#include "core/ops/reduce.h"

namespace rondo {

void Softmax::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  const Dtype dtype = args.attrs[1].is_none() ? args.inputs[0].dtype() : args.attrs[1].as_dtype();
  check_dtype(args.op, "input", dtype);
  normalize_axis(args.attrs[0].as_int(), args.inputs[0].rank(), "softmax");
  outputs.push_back({args.inputs[0].shape(), dtype});
}

void Softmax::body(const OpArgs& args, std::vector<Tensor>& outputs) {
  const Dtype dtype = args.attrs[1].is_none() ? args.inputs[0].dtype() : args.attrs[1].as_dtype();
  const Tensor x = to_dtype(args.inputs[0], compute_dtype(dtype));
  const Attr& dim = args.attrs[0];
  const Tensor e = exp(x - row_max(x, dim, true));
  outputs.push_back(to_dtype(e / sum(e, dim, true), dtype));
}

void Softmax::gradient(GradContext& g) {
  const Tensor& y = g.output();
  const Tensor gy = g.grad() * y;
  g.set("input", gy - y * sum(gy, g.attr("dim"), true));
}

}  // namespace rondo
