// What the sources that are compiled once per vector level declare to each other.
#pragma once

#include "codegen/interpreter/block_loops.h"

namespace rondo::codegen::interpreter::v3 {
extern const BlockLoops kBlockLoops;
}  // namespace rondo::codegen::interpreter::v3

namespace rondo::codegen::interpreter::v4 {
extern const BlockLoops kBlockLoops;
}  // namespace rondo::codegen::interpreter::v4

#ifdef RONDO_ISA
namespace rondo::codegen::interpreter::RONDO_ISA {
const ReduceLoops* fold_loops(ReduceKind kind, Reg reg);
const ReduceLoops* place_loops(ReduceKind kind, Reg reg);
}  // namespace rondo::codegen::interpreter::RONDO_ISA
#endif
