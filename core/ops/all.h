// All families of ops, joined.
#pragma once

#include "core/ops/activation.h"
#include "core/ops/arithmetic.h"
#include "core/ops/compare.h"
#include "core/ops/create.h"
#include "core/ops/math.h"
#include "core/ops/matmul.h"
#include "core/ops/normalize.h"
#include "core/ops/reduce.h"
#include "core/ops/reshape.h"
#include "core/ops/scatter.h"

namespace rondo {

/// Registers every built-in op; the first call does it.
void register_builtin_ops();

}  // namespace rondo
