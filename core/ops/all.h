// All families of ops, joined.
#pragma once

#include "core/ops/activation.h"
#include "core/ops/advanced_index.h"
#include "core/ops/arithmetic.h"
#include "core/ops/bitwise.h"
#include "core/ops/blend.h"
#include "core/ops/bounds.h"
#include "core/ops/compare.h"
#include "core/ops/convolution.h"
#include "core/ops/create.h"
#include "core/ops/index.h"
#include "core/ops/join.h"
#include "core/ops/linear.h"
#include "core/ops/loss.h"
#include "core/ops/math.h"
#include "core/ops/matmul.h"
#include "core/ops/normalize.h"
#include "core/ops/optimize.h"
#include "core/ops/order.h"
#include "core/ops/random.h"
#include "core/ops/reduce.h"
#include "core/ops/reshape.h"
#include "core/ops/rounding.h"
#include "core/ops/scatter.h"
#include "core/ops/statistics.h"
#include "core/ops/trigonometry.h"
#include "core/ops/window.h"

namespace rondo {

/// Registers every built-in op; the first call does it.
void register_builtin_ops();

}  // namespace rondo
