// Tokens: what of a call decides which code runs it, as one number.
#pragma once

#include <cstdint>

#include "core/op/executor.h"

namespace rondo::tracer {

/// The op, its structural attributes, and of each operand dtype, rank, axes of size 1, and whether
/// it is an immediate. Not sizes, values, addresses or reference counts. Equal tokens are a hint;
/// segments compare the calls themselves.
std::uint64_t token_of(const OpCall& call);

/// Everything of an operand that compiled code depends on: dtype, rank, axes of size 1, whether it
/// is an immediate.
std::uint64_t operand_key(const Tensor& operand);

inline std::uint64_t mix(std::uint64_t h, std::uint64_t v) {
  h = (h ^ v) * 0x9e3779b97f4a7c15ULL;
  return h ^ (h >> 29);
}

}  // namespace rondo::tracer
