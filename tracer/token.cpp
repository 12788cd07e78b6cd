#include "tracer/token.h"

#include "core/graph/flow.h"

namespace rondo::tracer {

std::uint64_t token_of(const OpCall& call) {
  std::uint64_t h = mix(0, static_cast<std::uint64_t>(call.op.id) << 1 | (call.in_place ? 1U : 0U));
  for (const Tensor& t : call.inputs) {
    if (!t.defined()) {
      h = mix(h, 1);
      continue;
    }
    const auto dtype = static_cast<std::uint64_t>(t.dtype());
    const auto rank = static_cast<std::uint64_t>(t.rank());
    const std::uint64_t flags = (t.is_immediate() ? 2U : 0U) | (t.is_weak() ? 4U : 0U);
    h = mix(h, flags | dtype << 8 | rank << 16 | std::uint64_t{ones_mask(t.shape())} << 24 | 8U);
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

bool same_attrs(const OpInfo& op, std::span<const Attr> a, std::span<const Attr> b) {
  if (a.empty()) {
    return b.empty();
  }
  std::size_t i = 0;
  for (const SchemaArg& arg : op.schema.args) {
    if (!arg.is_operand()) {
      if (arg.type != ArgType::sizes && !(a[i] == b[i])) {
        return false;
      }
      ++i;
    }
  }
  return true;
}

}  // namespace rondo::tracer
