// A kernel as the interpreter runs it: steps on values that have their places in an arena.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/interpreter/block_loops.h"
#include "codegen/kernel.h"
#include "codegen/scalar/block.h"

namespace rondo::codegen::interpreter {

enum class StepKind : std::uint8_t { constant, scalar, op, load, store, index, spread };

/// When a load may leave its elements where they are.
enum class Direct : std::uint8_t {
  never,
  reduced,  // only reductions read it: if the innermost stride is that of registers
  always,   // if the whole block lies in memory as it would in registers
};

/// One loop over a block. Values are numbers of places in the arena.
struct Step {
  StepKind kind = StepKind::op;
  Level level = Level::element;
  Direct direct = Direct::never;
  bool redirected = false;  // of a store: its value is computed in place where the block allows
  bool narrow = false;      // of a load or store: memory does not hold registers
  bool fills = false;       // of a uniform value: others than uniform steps read it
  int operand = -1;         // operand or scalar number
  int out = -1;
  int a = -1, b = -1, c = -1;
  int bytes = 4;  // of an element in memory (load, store), else of a register
  std::uint64_t bits = 0;
  BlockFunction op = nullptr;
  LoadFunction load = nullptr;
  StoreFunction store = nullptr;
  const CopyLoops* copy = nullptr;
};

/// One reduction.
struct FoldStep {
  const ReduceLoops* loops = nullptr;
  int number = 0;  // among the reductions of the kernel
  int a = -1, b = -1;
  int a_operand = -1, b_operand = -1;  // operand that a Direct::reduced load read
  int out = -1;
  int bytes = 4;  // of what is reduced
};

struct Redirect {
  int value;
  int operand;
};

/// A value of this phase that lies in scratch.
struct SpilledValue {
  int value;
  int spill;  // index into InterpretedProgram::spill_bytes
};

struct PhaseCode {
  std::vector<Step> row;
  std::vector<Step> spreads;  // row values repeated for the elements of a block
  std::vector<Step> body;
  std::vector<FoldStep> folds;
  std::vector<Redirect> redirects;
  std::vector<SpilledValue> spilled;
};

/// One way to run a kernel.
struct Body {
  std::vector<Step> uniform;  // once a call
  std::vector<PhaseCode> phases;
  std::vector<std::int64_t> places;  // of the values in the register area, in bytes
  std::int64_t register_bytes = 0;   // the size of that area
  std::int64_t staging = 0;          // the place of a register for narrow elements
  std::int64_t block = 0;            // elements of a register
  bool bare = false;                 // nothing but reductions of Direct::reduced loads
};

}  // namespace rondo::codegen::interpreter

namespace rondo::codegen {

struct InterpretedProgram {
  explicit InterpretedProgram(const Kernel& kernel);

  struct Operand {
    std::int64_t bytes;  // of an element
    bool is_element;
  };
  std::vector<Operand> operands;
  std::vector<std::int64_t> spill_bytes;  // register sizes of the spilled values
  const BlockLoops* loops = nullptr;
  int folds = 0;
  bool has_row_memory = false;  // loads or stores of row operands
  bool has_index = false;
  interpreter::Body streamed;  // phase after phase, each over all blocks of the row
  interpreter::Body resident;  // rows that fit into a block: values stay from phase to phase
};

}  // namespace rondo::codegen
