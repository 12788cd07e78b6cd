// The block loops of division, integer powers, bits and shifts.
#include "codegen/scalar/block_loop.h"
#include "codegen/scalar/integer.h"
#include "codegen/scalar/modulo.h"

RONDO_BLOCK_FAMILY(integer) {
  RONDO_BLOCK(bit_and);
  RONDO_BLOCK(bit_or);
  RONDO_BLOCK(bit_xor);
  RONDO_BLOCK(bit_not);
  RONDO_BLOCK(shl);
  RONDO_BLOCK(shr);
  set_repaired_loops<ScalarOp::pow, scalar::IntegerPow, Reg::i32, Reg::i64>(table);
}

RONDO_BLOCK_FAMILY(division) {
  RONDO_BLOCK(div);
  RONDO_BLOCK(floor_div, Reg::i32, Reg::i64);
  RONDO_BLOCK(remainder, Reg::i32, Reg::i64);
  RONDO_BLOCK(fmod, Reg::i32, Reg::i64);
  set_repaired_loops<ScalarOp::floor_div, scalar::FloorDiv, Reg::f32, Reg::f64>(table);
  set_repaired_loops<ScalarOp::remainder, scalar::Remainder, Reg::f32, Reg::f64>(table);
  set_repaired_loops<ScalarOp::fmod, scalar::Fmod, Reg::f32, Reg::f64>(table);
}
