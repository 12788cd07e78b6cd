// How much work a call is, roughly: for limits, and to choose what is cheap enough to be tried.
#pragma once

#include "core/op/executor.h"

namespace rondo {

/// The elements of an operand or result; none for a number and for an absent operand.
double element_count(const Tensor& tensor);

/// The multiplications of a product or convolution; none for other ops.
double product_work(const OpCall& call);

}  // namespace rondo
