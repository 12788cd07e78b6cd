// Every way of running gives the same bits.
#pragma once

#include "tests/support/check_op.h"

namespace rondo::test {

/// Expects the same bits of the op, forward and gradient, with the tracer off and, with it on, by
/// the interpreter, by compiled kernels and switching between the two at random; each with 1, 2
/// and 3 threads, which share out even the smallest work. Tried for every dtype that the case
/// can have; again on operands with every axis longer, where the op takes them; and again on
/// special numbers.
void check_modes(const OpCase& c);

}  // namespace rondo::test
