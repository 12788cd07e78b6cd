// Kernel IR: one fused loop over rows and columns, as every target reads it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/op/scalar_op.h"
#include "core/tensor/dtype.h"

namespace rondo::codegen {

// Semantics
//
// A kernel runs over `rows` x (`outer` x `cols`) elements. A row is independent of all others.
// Within a row an element is addressed by (o, c), o < outer, c < cols; element (o, c) of row r of
// operand p lies at
//   data[p] + r * row_stride[p] + o * outer_stride[p] + c * col_stride[p]
// with strides in bytes.
// Kernels without reductions have outer = 1. Values are of one of two levels: `row` values are
// computed once a row (constants, scalars, loads of row operands, results of reductions and what
// follows from them alone), `element` values once for each element.
//
// Code is in SSA order. An instruction belongs to a phase: 0 if it depends on no reduction, else
// one more than the largest phase of the reductions that it depends on. Phases run in order, each
// as one loop over the elements of the row. Element values of an earlier phase that are needed
// again are computed again, or, if marked `spill`, kept in scratch.
//
// Loads see what memory held before the call. A buffer written in place is read and written by
// operands of one dtype and level at the same addresses for the same (r, o, c); a load from it
// comes before the store in SSA order, and is marked `spill` if it is needed in a later phase than
// the store's. Written operands do not overlap otherwise, neither each other nor what is read, and
// no element of theirs is written twice.
//
// The canonical order of a reduction (docs/numerics.md, canonical_order.h): elements are taken in
// steps of 16 along c; step (o, j) holds c = 16 j .. 16 j + 15; lane l combines element c = 16 j +
// l, skipped if c >= cols. Steps are counted over (o, j) in order; each block of 64 steps starts
// from the identity in all lanes, and at its end the lanes are combined in a tree (l with l + 8,
// then + 4, + 2, + 1; the lower lane is the first operand). The result is the first block's,
// combined with the second's, and so on. A row without elements gives the identity. Targets may go
// over several rows at a time, but each row in this order.

enum class Level : std::uint8_t { row, element };

/// A buffer that the kernel reads or writes. A buffer that is read and written in place is two
/// operands.
struct KernelOperand {
  Dtype dtype = Dtype::float32;
  Level level = Level::element;
  bool written = false;
};

enum class InstrKind : std::uint8_t {
  constant,  // `bits` as a value of `reg`
  scalar,  // the 8-byte parameter `operand`, holding a value of `reg` (i32 and f32 in its low half)
  load,    // operand `operand`, converted to the register class of its dtype
  index,   // i64: first_index + r * outer * cols + o * cols + c, the element's place in row-major
           // order; an element value
  op,      // scalar(a, b, c)
  reduce,  // combines `a` (for dot: a and b) over the row
  store,   // `a`, already rounded to the operand's dtype, to operand `operand`
};

enum class ReduceKind : std::uint8_t {
  sum,      // identity +0
  product,  // identity 1
  maximum,  // scalar maximum (NaN propagates); identity -inf or the least integer
  minimum,  // likewise
  argmax,   // i64: o * cols + c of the largest element; the first of equals; NaN counts as largest.
            // Identity (that of maximum, place 0): it stays only where 0 is the answer
  argmin,   // likewise; NaN counts as smallest
  dot,      // f32, f64: lane = fma(a, b, lane); lanes and blocks are then added as in `sum`
};

/// "sum", "argmax".
std::string_view reduce_name(ReduceKind kind);

/// Whether the result is a place in the row, an i64: argmax and argmin.
constexpr bool gives_place(ReduceKind kind) {
  return kind == ReduceKind::argmax || kind == ReduceKind::argmin;
}

/// "i32", "f64".
std::string_view reg_name(Reg reg);

struct Instr {
  InstrKind kind = InstrKind::constant;
  ScalarOp scalar = ScalarOp::add;
  ReduceKind reduce = ReduceKind::sum;
  Reg reg = Reg::f32;  // of the result; for a store, of what is stored
  Level level = Level::row;
  bool spill = false;
  std::uint8_t phase = 0;
  int operand = -1;            // operand or scalar number
  int a = -1, b = -1, c = -1;  // instruction numbers
  std::uint64_t bits = 0;      // of a constant
};

struct Kernel {
  std::vector<KernelOperand> operands;
  int scalars = 0;
  std::vector<Instr> code;

  bool has_reduction() const;
  int phases() const;

  /// The class that an op computes in: that of its operands; for select, of its branches.
  Reg op_class(const Instr& op) const;
};

/// The text that prints a kernel; equal texts are equal kernels (it is the first part of the cache
/// key).
std::string print(const Kernel& kernel);

/// Checks the rules above. Errors: InternalError that names the instruction.
void verify(const Kernel& kernel);

/// For each instruction whether it is a row value that is the same in all rows, so that it can be
/// computed once a call: constants, scalars, and ops on nothing else.
std::vector<char> uniform_values(const Kernel& kernel);

/// What a target does in one phase.
struct Phase {
  std::vector<int> row_code;  // row values to compute before the loop (constants and scalars too)
  std::vector<int> reloads;   // spilled element values of earlier phases, read back from scratch
  std::vector<int> element_code;  // loads, ops and stores in order, with those computed again
  std::vector<int> spills;        // element values of this phase to keep
  std::vector<int> reductions;    // completed at the end of the loop
};

/// The phases in order; the last one may have an empty loop (row stores are in the row_code of the
/// phase after the last reduction that they need).
std::vector<Phase> plan_phases(const Kernel& kernel);

/// How the loops run. `rows`: one row after the other, vectors along c. `columns`: vectors along r
/// (16 neighbouring rows at once), for operands whose rows lie next to each other in memory.
enum class Schedule : std::uint8_t { rows, columns };

/// What is known when compiling about an operand's stride along the vector axis, in bytes.
enum class StrideClass : std::uint8_t { unit, zero, any };

StrideClass stride_class(std::int64_t stride, Dtype dtype);

/// Whether columns let more of the element operands be read along memory than rows do. Strides are
/// those of the operands, in bytes.
bool prefers_columns(const Kernel& kernel, std::int64_t rows, std::int64_t cols,
                     std::span<const std::int64_t> row_stride,
                     std::span<const std::int64_t> col_stride);

/// Part of the cache key: the same kernel is compiled for each variant that is launched.
struct Variant {
  Schedule schedule = Schedule::rows;
  std::vector<StrideClass> strides;  // one for each operand: of c (rows) or of r (columns)
  bool operator==(const Variant&) const = default;
};

std::string print(const Variant& variant);

/// A letter for each class: u, z or a.
std::string print(const std::vector<StrideClass>& strides);

/// One call of a kernel.
struct KernelArgs {
  std::byte* const* data = nullptr;  // of (row 0, o 0, c 0) of this call
  const std::int64_t* row_stride = nullptr;
  const std::int64_t* outer_stride = nullptr;
  const std::int64_t* col_stride = nullptr;
  const std::uint64_t* scalars = nullptr;
  std::int64_t rows = 0;
  std::int64_t outer = 1;
  std::int64_t cols = 0;
  std::int64_t first_index = 0;  // of (row 0, o 0, c 0) of this call
  std::byte* scratch = nullptr;  // scratch_bytes() of them, aligned to 64, this thread's own
};

/// Rows that the columns schedule takes at a time.
inline constexpr std::int64_t kColumnTile = 256;

/// One value of each of them, and a cache line more: arrays one after the other then do not compete
/// for the same sets of a cache.
inline constexpr std::int64_t kColumnArrayBytes = kColumnTile * 8 + 64;

/// Scratch that a call of a compiled kernel may use, in pieces in the order of the instructions:
/// rows: for each spilled value, registers for outer * cols elements, rounded up to 16, and 16
/// more; columns: arrays of kColumnArrayBytes, one for each loaded or computed row value, 17
/// for each reduction (lanes and result; 34 for argmax and argmin, the places last), and for each
/// spilled value outer * cols * kColumnTile registers.
std::int64_t scratch_bytes(const Kernel& kernel, Schedule schedule, std::int64_t outer,
                           std::int64_t cols);

/// The form of a compiled kernel.
using KernelFunction = void (*)(const KernelArgs*);

}  // namespace rondo::codegen
