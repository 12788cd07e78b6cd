#include "core/ops/blend.h"

#include "core/base/error.h"

namespace rondo {
namespace {

void check_mask(const OpArgs& args, int operand, std::string_view name) {
  const Dtype dtype = args.inputs[static_cast<std::size_t>(operand)].dtype();
  check<DtypeError>(dtype == Dtype::boolean, "{}: {} is {}; expected bool", args.op.name, name,
                    dtype_name(dtype));
}

}  // namespace

void Where::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  check_mask(args, 0, "condition");
  infer_elementwise(args, outputs);
}

void Where::gradient(GradContext& g) {
  const Tensor& condition = g.input("condition");
  if (g.needs("input")) {
    g.set("input", where(condition, g.grad(), 0));
  }
  if (g.needs("other")) {
    g.set("other", where(condition, 0, g.grad()));
  }
}

void MaskedFill::infer(const OpArgs& args, std::vector<Meta>& outputs) {
  check_mask(args, 1, "mask");
  const Dtype value = args.inputs[2].dtype();
  const Dtype input = args.inputs[0].dtype();
  check<DtypeError>(!is_floating(value) || is_floating(input),
                    "masked_fill: value is {}, input is {}; it cannot hold a fraction",
                    dtype_name(value), dtype_name(input));
  infer_elementwise(args, outputs);
}

void MaskedFill::gradient(GradContext& g) {
  const Tensor& mask = g.input("mask");
  if (g.needs("input")) {
    g.set("input", where(mask, 0, g.grad()));
  }
  if (g.needs("value")) {
    g.set("value", where(mask, g.grad(), 0));
  }
}

}  // namespace rondo
