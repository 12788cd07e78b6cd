// All scalar functions: the one source that block loops, LLVM bitcode and GPU kernels come from.
#pragma once

#include "codegen/scalar/arithmetic.h"
#include "codegen/scalar/compare.h"
#include "codegen/scalar/convert.h"
#include "codegen/scalar/error_function.h"
#include "codegen/scalar/exponential.h"
#include "codegen/scalar/integer.h"
#include "codegen/scalar/inverse_trigonometric.h"
#include "codegen/scalar/logarithm.h"
#include "codegen/scalar/modulo.h"
#include "codegen/scalar/philox.h"
#include "codegen/scalar/power.h"
#include "codegen/scalar/rounding.h"
#include "codegen/scalar/trigonometric.h"
