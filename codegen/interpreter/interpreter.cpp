#include "codegen/interpreter/interpreter.h"

#include <algorithm>
#include <cstring>

#include "codegen/canonical_order.h"
#include "codegen/interpreter/arena.h"
#include "codegen/interpreter/geometry.h"
#include "codegen/interpreter/program.h"
#include "codegen/round_up.h"
#include "core/base/error.h"
#include "core/base/float_environment.h"

namespace rondo::codegen {
namespace interpreter {
namespace {

/// The arrays of a ColumnState for a tile of rows.
constexpr std::int64_t kColumnLaneBytes = kReduceLanes * kColumnTile * 8;
constexpr std::int64_t kColumnStateBytes = kColumnLaneBytes + 2 * kColumnTile * 8;

/// The parts of the arena that a run uses, one after the other. Without memory it only measures
/// them.
class Frame {
 public:
  explicit Frame(std::byte* memory) : memory_(memory) {}

  template <class T>
  T* take(std::int64_t count) {
    std::byte* taken = memory_ == nullptr ? nullptr : memory_ + size_bytes_;
    size_bytes_ += round_up(count * static_cast<std::int64_t>(sizeof(T)), 64);
    return reinterpret_cast<T*>(taken);
  }
  std::int64_t size_bytes() const { return size_bytes_; }

 private:
  std::byte* memory_;
  std::int64_t size_bytes_ = 0;
};

/// One call.
class Run {
 public:
  Run(const InterpretedProgram& program, const KernelArgs& args, Schedule schedule)
      : program_(program), args_(args) {
    const std::int64_t column_folds = schedule == Schedule::columns ? program.folds : 0;
    Frame measured(nullptr);
    lay_out(measured, column_folds);
    Frame frame(thread_arena(measured.size_bytes()));
    std::byte* column_memory = lay_out(frame, column_folds);
    for (std::int64_t n = 0; n < column_folds; ++n) {
      std::byte* const memory = column_memory + n * kColumnStateBytes;
      columns_[n].lanes = memory;
      columns_[n].results = memory + kColumnLaneBytes;
      columns_[n].places =
          reinterpret_cast<std::int64_t*>(memory + kColumnLaneBytes + kColumnTile * 8);
    }
    cut(program, args, schedule, views_, g_);
    invariant(g_.single || program.spill_bytes.empty() || args.scratch != nullptr,
              "interpreter: a kernel with spilled values was given no scratch");
    for (std::size_t v = 0; v < g_.body->places.size(); ++v) {
      pointers_[v] = registers_ + g_.body->places[v];
    }
  }

  void run() {
    run_uniform();
    for (row_ = 0; row_ < g_.rows; row_ += g_.tile_rows) {
      rows_ = std::min(g_.tile_rows, g_.rows - row_);
      for (const PhaseCode& phase : g_.body->phases) {
        run_phase(phase);
      }
    }
  }

 private:
  /// Takes the parts of the frame; gives that of the column states' arrays.
  std::byte* lay_out(Frame& frame, std::int64_t column_folds) {
    const Body& streamed = program_.streamed;
    const Body& resident = program_.resident;
    views_ = frame.take<View>(static_cast<std::int64_t>(program_.operands.size()));
    pointers_ = frame.take<std::byte*>(
        static_cast<std::int64_t>(std::max(streamed.places.size(), resident.places.size())));
    lanes_ = frame.take<LaneState>(program_.folds);
    columns_ = frame.take<ColumnState>(program_.folds);
    registers_ = frame.take<std::byte>(std::max(streamed.register_bytes, resident.register_bytes));
    return frame.take<std::byte>(column_folds * kColumnStateBytes);
  }

  std::byte*& pointer(int value) { return pointers_[value]; }

  /// Null for an operand that an op does not have.
  const std::byte* input(int value) { return value < 0 ? nullptr : pointers_[value]; }

  std::byte* memory(const View& view) const {
    return view.data + row_ * view.row + outer_ * view.outer + col_ * view.col;
  }

  /// A block as its three loops.
  Nest nest(std::int64_t row, std::int64_t outer, std::int64_t col) const {
    if (g_.columns) {
      return {{outers_, cols_, rows_}, {outer, col, row}};
    }
    return {{rows_, outers_, cols_}, {row, outer, col}};
  }

  void run_uniform() {
    const std::int64_t most = std::min(
        g_.body->block, std::max(g_.tile_rows, g_.tile_rows * g_.block_outer * g_.block_cols));
    for (const Step& step : g_.body->uniform) {
      std::byte* out = pointer(step.out);
      if (step.kind == StepKind::op) {
        step.op(1, out, input(step.a), input(step.b), input(step.c));
      } else {
        const std::uint64_t bits =
            step.kind == StepKind::scalar ? args_.scalars[step.operand] : step.bits;
        std::memcpy(out, &bits, sizeof(bits));
      }
      if (step.fills) {
        step.copy->fill(most, out, out);
      }
    }
  }

  void run_phase(const PhaseCode& phase) {
    for (const Step& step : phase.row) {
      run_row_step(step);
    }
    const bool whole = g_.single && !g_.columns;
    spread_size_ = 0;
    if (!whole) {
      start_folds(phase);
    }
    for (outer_ = 0; outer_ < g_.outer; outer_ += g_.block_outer) {
      outers_ = std::min(g_.block_outer, g_.outer - outer_);
      for (col_ = 0; col_ < g_.cols; col_ += g_.block_cols) {
        cols_ = std::min(g_.block_cols, g_.cols - col_);
        run_block(phase);
        if (!whole) {
          accumulate_folds(phase);
        }
      }
    }
    finish_folds(phase, whole);
  }

  void run_row_step(const Step& step) {
    if (step.kind == StepKind::op) {
      step.op(rows_, pointer(step.out), input(step.a), input(step.b), input(step.c));
      return;
    }
    const View& view = views_[step.operand];
    std::byte* memory = view.data + row_ * view.row;
    const Nest nest{{1, 1, rows_}, {0, 0, view.row}};
    if (step.kind == StepKind::store) {
      if (step.narrow) {
        step.store(rows_, memory, view.row, input(step.a));
      } else {
        step.copy->scatter(memory, input(step.a), nest);
      }
    } else if (step.narrow) {
      step.load(rows_, pointer(step.out), memory, view.row);
    } else {
      step.copy->gather(pointer(step.out), memory, nest);
    }
  }

  void run_block(const PhaseCode& phase) {
    size_ = rows_ * outers_ * cols_;
    if (size_ != spread_size_) {
      spread_size_ = size_;
      for (const Step& step : phase.spreads) {
        step.copy->gather(pointer(step.out), input(step.a), nest(step.bytes, 0, 0));
      }
    }
    for (const SpilledValue& value : phase.spilled) {
      pointer(value.value) = spill(value.spill);
    }
    for (const Redirect& redirect : phase.redirects) {
      const View& view = views_[redirect.operand];
      if (view.dense) {
        pointer(redirect.value) = memory(view);
      }
    }
    for (const Step& step : phase.body) {
      run_element_step(step);
    }
  }

  void run_element_step(const Step& step) {
    switch (step.kind) {
      case StepKind::op:
        step.op(size_, pointer(step.out), input(step.a), input(step.b), input(step.c));
        break;
      case StepKind::load:
        load(step);
        break;
      case StepKind::store:
        store(step);
        break;
      default: {
        const std::int64_t first =
            args_.first_index + row_ * g_.outer * g_.cols + outer_ * g_.cols + col_;
        program_.loops->index(reinterpret_cast<std::int64_t*>(pointer(step.out)), first,
                              nest(g_.outer * g_.cols, g_.cols, 1));
        break;
      }
    }
  }

  void load(const Step& step) {
    const View& view = views_[step.operand];
    std::byte* from = memory(view);
    if (step.direct != Direct::never &&
        (view.dense || (step.direct == Direct::reduced && view.lined))) {
      pointer(step.out) = from;
      return;
    }
    if (!step.narrow) {
      step.copy->gather(pointer(step.out), from, nest(view.row, view.outer, view.col));
      return;
    }
    if (!view.dense) {
      std::byte* staging = registers_ + g_.body->staging;
      step.copy->gather(staging, from, nest(view.row, view.outer, view.col));
      from = staging;
    }
    step.load(size_, pointer(step.out), from, step.bytes);
  }

  void store(const Step& step) {
    const View& view = views_[step.operand];
    std::byte* to = memory(view);
    if (step.redirected && view.dense) {
      return;
    }
    if (!step.narrow) {
      step.copy->scatter(to, input(step.a), nest(view.row, view.outer, view.col));
      return;
    }
    if (view.dense) {
      step.store(size_, to, step.bytes, input(step.a));
      return;
    }
    std::byte* staging = registers_ + g_.body->staging;
    step.store(size_, staging, step.bytes, input(step.a));
    step.copy->scatter(to, staging, nest(view.row, view.outer, view.col));
  }

  /// Where the spilled value of this block lies in scratch.
  std::byte* spill(int number) const {
    const std::int64_t total = g_.outer * g_.cols;
    const std::int64_t room = g_.columns ? total * kColumnTile : round_up(total, kReduceLanes);
    std::byte* place = args_.scratch;
    for (int n = 0; n < number; ++n) {
      place += round_up(room * program_.spill_bytes[static_cast<std::size_t>(n)], 64);
    }
    const std::int64_t bytes = program_.spill_bytes[static_cast<std::size_t>(number)];
    return place + (outer_ * g_.cols + col_) * rows_ * bytes;
  }

  ReduceInput reduce_input(int value, int operand, std::int64_t bytes) {
    if (value < 0) {
      return {};
    }
    if (operand >= 0 && views_[operand].lined) {
      const View& view = views_[operand];
      return {input(value), view.row, view.outer, view.col};
    }
    if (g_.columns) {
      return {input(value), bytes, cols_ * rows_ * bytes, rows_ * bytes};
    }
    return {input(value), outers_ * cols_ * bytes, cols_ * bytes, bytes};
  }

  ReduceBlock reduce_block(const FoldStep& fold) {
    return {reduce_input(fold.a, fold.a_operand, fold.bytes),
            reduce_input(fold.b, fold.b_operand, fold.bytes),
            rows_,
            outers_,
            cols_,
            outer_,
            col_,
            g_.cols};
  }

  void start_folds(const PhaseCode& phase) {
    for (const FoldStep& fold : phase.folds) {
      if (g_.columns) {
        columns_[fold.number].rows = rows_;
        fold.loops->column_start(columns_[fold.number]);
      } else {
        fold.loops->start(lanes_[fold.number]);
      }
    }
  }

  void accumulate_folds(const PhaseCode& phase) {
    for (const FoldStep& fold : phase.folds) {
      if (g_.columns) {
        fold.loops->column_accumulate(columns_[fold.number], reduce_block(fold));
      } else {
        fold.loops->accumulate(lanes_[fold.number], reduce_block(fold));
      }
    }
  }

  void finish_folds(const PhaseCode& phase, bool whole) {
    outer_ = 0;
    col_ = 0;
    outers_ = g_.outer;
    cols_ = g_.cols;
    for (const FoldStep& fold : phase.folds) {
      void* out = pointer(fold.out);
      if (whole) {
        fold.loops->whole(reduce_block(fold), out);
      } else if (g_.columns) {
        fold.loops->column_finish(columns_[fold.number], out);
      } else {
        fold.loops->finish(lanes_[fold.number], out);
      }
    }
  }

  const InterpretedProgram& program_;
  const KernelArgs& args_;
  Geometry g_;
  View* views_;
  std::byte** pointers_;
  LaneState* lanes_;
  ColumnState* columns_;
  std::byte* registers_;
  // The block that is run: its place in the call, and its size.
  std::int64_t row_ = 0, outer_ = 0, col_ = 0;
  std::int64_t rows_ = 0, outers_ = 0, cols_ = 0;
  std::int64_t size_ = 0;
  std::int64_t spread_size_ = 0;
};

}  // namespace
}  // namespace interpreter

InterpretedKernel::InterpretedKernel(const Kernel& kernel)
    : program_(std::make_unique<const InterpretedProgram>(kernel)) {}
InterpretedKernel::~InterpretedKernel() = default;
InterpretedKernel::InterpretedKernel(InterpretedKernel&& other) noexcept = default;
InterpretedKernel& InterpretedKernel::operator=(InterpretedKernel&& other) noexcept = default;

void InterpretedKernel::run(const KernelArgs& args, Schedule schedule) const {
  if (args.rows > 0) {
    const FloatEnvironment environment;
    interpreter::Run(*program_, args, schedule).run();
  }
}

}  // namespace rondo::codegen
