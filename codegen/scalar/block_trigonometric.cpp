// The block loops of trigonometric functions.
#include "codegen/scalar/block_loop.h"
#include "codegen/scalar/inverse_trigonometric.h"
#include "codegen/scalar/trigonometric.h"

RONDO_BLOCK_FAMILY(trigonometric) {
  set_repaired_loops<ScalarOp::sin, scalar::Sin, Reg::f32, Reg::f64>(table);
  set_repaired_loops<ScalarOp::cos, scalar::Cos, Reg::f32, Reg::f64>(table);
  set_repaired_loops<ScalarOp::tan, scalar::Tan, Reg::f32, Reg::f64>(table);
}

RONDO_BLOCK_FAMILY(inverse_trigonometric) {
  RONDO_BLOCK(asin);
  RONDO_BLOCK(acos);
  RONDO_BLOCK(atan);
  RONDO_BLOCK(atan2);
}
