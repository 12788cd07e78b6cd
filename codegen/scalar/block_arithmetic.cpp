// The block loops of arithmetic, comparisons, rounding and conversions.
#include "codegen/scalar/arithmetic.h"

#include "codegen/scalar/block_loop.h"
#include "codegen/scalar/compare.h"
#include "codegen/scalar/convert.h"
#include "codegen/scalar/rounding.h"

RONDO_BLOCK_FAMILY(arithmetic) {
  RONDO_BLOCK(add);
  RONDO_BLOCK(sub);
  RONDO_BLOCK(mul);
  RONDO_BLOCK(neg);
  RONDO_BLOCK(abs);
  RONDO_BLOCK(sign);
  RONDO_BLOCK(minimum);
  RONDO_BLOCK(maximum);
  RONDO_BLOCK(fma);
  RONDO_BLOCK(sqrt);
  RONDO_BLOCK(rsqrt);
  RONDO_BLOCK(reciprocal);
}

RONDO_BLOCK_FAMILY(compare) {
  RONDO_BLOCK(eq);
  RONDO_BLOCK(ne);
  RONDO_BLOCK(lt);
  RONDO_BLOCK(le);
  RONDO_BLOCK(gt);
  RONDO_BLOCK(ge);
  RONDO_BLOCK(isnan);
  RONDO_BLOCK(isinf);
  RONDO_BLOCK(isfinite);
  RONDO_BLOCK(select);
}

RONDO_BLOCK_FAMILY(rounding) {
  RONDO_BLOCK(floor);
  RONDO_BLOCK(ceil);
  RONDO_BLOCK(trunc);
  RONDO_BLOCK(round_half_even);
  RONDO_BLOCK(round_bool);
  RONDO_BLOCK(round_u8);
  RONDO_BLOCK(round_i8);
  RONDO_BLOCK(round_i16);
  RONDO_BLOCK(round_f16);
  RONDO_BLOCK(round_bf16);
  RONDO_BLOCK(to_i32);
  RONDO_BLOCK(to_i64);
  RONDO_BLOCK(to_f32);
  RONDO_BLOCK(to_f64);
}
