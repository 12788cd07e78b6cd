#include "tracer/token.h"

#include "core/graph/flow.h"

namespace rondo::tracer {

std::uint64_t operand_key(const Tensor& operand) {
  if (!operand.defined()) {
    return 1;
  }
  const auto dtype = static_cast<std::uint64_t>(operand.dtype());
  const auto rank = static_cast<std::uint64_t>(operand.rank());
  const std::uint64_t flags =
      (operand.is_immediate() ? 2U : 0U) | (operand.is_weak() ? 4U : 0U) | 8U;
  return flags | dtype << 8 | rank << 16 | std::uint64_t{ones_mask(operand.shape())} << 24;
}

std::uint64_t token_of(const OpCall& call) {
  std::uint64_t h = mix(0, static_cast<std::uint64_t>(call.op.id) << 1 | (call.in_place ? 1U : 0U));
  for (const Tensor& t : call.inputs) {
    h = mix(h, operand_key(t));
  }
  for (const Tensor& t : call.outputs) {
    // Sizes among the attributes are not in the token, but the rank that follows from them is.
    h = mix(h, static_cast<std::uint64_t>(t.rank()) << 8 | ones_mask(t.shape()));
  }
  if (!call.attrs.empty()) {
    std::size_t i = 0;
    for (const SchemaArg& arg : call.op.schema.args) {
      if (!arg.is_operand()) {
        h = mix(h, arg.type == ArgType::sizes ? 0 : call.attrs[i].hash());
        ++i;
      }
    }
  }
  return h;
}

}  // namespace rondo::tracer
