// The block loops of exp, log and their relatives.
#include "codegen/scalar/block_loop.h"
#include "codegen/scalar/error_function.h"
#include "codegen/scalar/exponential.h"
#include "codegen/scalar/logarithm.h"
#include "codegen/scalar/power.h"

RONDO_BLOCK_FAMILY(exponential) {
  RONDO_BLOCK(exp);
  RONDO_BLOCK(exp2);
  RONDO_BLOCK(expm1);
  RONDO_BLOCK(sinh);
  RONDO_BLOCK(cosh);
  RONDO_BLOCK(tanh);
  RONDO_BLOCK(sigmoid);
  RONDO_BLOCK(erf);
}

RONDO_BLOCK_FAMILY(logarithm) {
  RONDO_BLOCK(log);
  RONDO_BLOCK(log2);
  RONDO_BLOCK(log10);
  RONDO_BLOCK(log1p);
  RONDO_BLOCK(pow, Reg::f32, Reg::f64);
}
