// How a call is cut into blocks.
#pragma once

#include <cstdint>

#include "codegen/interpreter/program.h"
#include "codegen/kernel.h"

namespace rondo::codegen::interpreter {

/// An operand in the rows and columns that the call is run as.
struct View {
  std::byte* data = nullptr;
  std::int64_t row = 0;  // strides in bytes
  std::int64_t outer = 0;
  std::int64_t col = 0;
  bool lined = false;  // registers and memory have the same innermost stride
  bool dense = false;  // a block lies in memory as in registers
};

struct Geometry {
  const Body* body = nullptr;
  bool columns = false;   // rows are innermost in a block
  bool single = true;     // a block holds its rows whole
  std::int64_t rows = 0;  // of the call, perhaps joined
  std::int64_t outer = 1;
  std::int64_t cols = 0;
  std::int64_t tile_rows = 1;  // of a block
  std::int64_t block_outer = 1;
  std::int64_t block_cols = 0;
};

/// Sets the geometry and the views of all operands.
void cut(const InterpretedProgram& program, const KernelArgs& args, Schedule schedule, View* views,
         Geometry& geometry);

}  // namespace rondo::codegen::interpreter
