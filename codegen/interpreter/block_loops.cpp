#include "codegen/interpreter/block_loops.h"

#include "codegen/interpreter/block_loops_isa.h"

namespace rondo::codegen {

const BlockLoops& block_loops(Isa isa) {
  return isa == Isa::v4 ? interpreter::v4::kBlockLoops : interpreter::v3::kBlockLoops;
}

}  // namespace rondo::codegen
