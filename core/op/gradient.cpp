#include "core/op/gradient.h"

#include "core/base/error.h"

namespace rondo {

GradContext::GradContext(const OpInfo& op, std::span<const Tensor> inputs,
                         std::span<const Tensor> outputs, std::span<const Tensor> grads,
                         std::span<const Attr> attrs, std::span<const InputMeta> input_metas,
                         std::uint64_t needs)
    : op_(op),
      inputs_(inputs),
      outputs_(outputs),
      grads_(grads),
      attrs_(attrs),
      metas_(input_metas),
      needs_(needs),
      results_(input_metas.size()) {}

const Tensor& GradContext::input(std::string_view name) const {
  return input(static_cast<int>(operand_index(op_, name)));
}

const Tensor& GradContext::input(int i) const {
  check<InternalError>(op_.saves_input(i), "{}: gradient uses input {}, which is not saved",
                       op_.name, i);
  return inputs_[static_cast<std::size_t>(i)];
}

const Tensor& GradContext::output(int i) const {
  check<InternalError>(op_.saves_output(i), "{}: gradient uses output {}, which is not saved",
                       op_.name, i);
  return outputs_[static_cast<std::size_t>(i)];
}

const Attr& GradContext::attr(std::string_view name) const {
  return OpArgs{op_, inputs_, attrs_}.attr(name);
}

}  // namespace rondo
