// Gradients against finite differences, in float64.
#pragma once

#include "tests/support/check_op.h"

namespace rondo::test {

/// Compares the gradient of every float64 operand with central differences of a weighted sum of the
/// results, and, with `second`, the gradient of a weighted sum of gradients likewise.
void check_gradients(const OpInfo& op, const Args& args, bool second);

}  // namespace rondo::test
