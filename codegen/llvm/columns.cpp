// The columns schedule: tiles of rows, one column of a tile after the other, vectors along r. Row
// values of a tile are arrays in scratch, and so are the lanes of reductions.
#include <functional>

#include "codegen/llvm/kernel_emitter.h"

namespace rondo::codegen {
namespace {

/// How many columns ahead of its turn a column is fetched. The processor's own prefetching does not
/// help: it stays within a page, and a column's part of a tile ends before that.
constexpr std::int64_t kColumnsAhead = 8;

/// Where the arrays of a reduction lie in its piece of scratch, by number: the 16 of its lanes come
/// first, then that of its results, and the same of places.
constexpr std::int64_t kResults = kLanes;
constexpr std::int64_t kLanePlaces = kLanes + 1;
constexpr std::int64_t kResultPlaces = 2 * kLanes + 1;

class ColumnsEmitter final : public KernelEmitter {
 public:
  ColumnsEmitter(llvm::Module& module, const Kernel& kernel, const Variant& variant, Isa isa)
      : KernelEmitter(module, kernel, variant, isa),
        arrays_(kernel.code.size()),
        kept_(kernel.code.size(), 0),
        in_strip_(kernel.code.size(), 0) {}

 private:
  /// Arrays in scratch: of values, and for argmax and argmin of their places.
  struct Arrays {
    llvm::Value* values = nullptr;
    llvm::Value* places = nullptr;
  };

  /// A reduction: its lanes (16 arrays), and the results of the blocks so far.
  struct Reduction {
    Reducer reducer;
    Arrays lanes;
    Arrays results;
  };

  void emit_loops() override;
  Lanes row_value(int n, llvm::Value* i) override;
  llvm::Value* index_lanes(llvm::Value* i) override;
  llvm::Value* spill_address(int n, llvm::Value* i) override;

  void find_kept();
  void place_arrays();
  void emit_row_code(const Phase& phase);
  void emit_phase(const Phase& phase);
  void emit_column(const Phase& phase);
  void take(const Phase& phase, llvm::Value* i);
  void start_reductions(const Phase& phase);
  void start_block(llvm::Value* steps_left);
  void fill_lanes();
  void fold_lanes();
  void end_block(llvm::Value* first);

  void over_tile(Strip& strip, const std::function<void(llvm::Value*)>& step);
  void over_rows(const std::function<void(llvm::Value*)>& body);
  llvm::Value* at(Reg reg, llvm::Value* array, llvm::Value* offset);
  llvm::Value* lane_of(llvm::Value* c) { return ir_.CreateAnd(c, ir_.number(kLanes - 1)); }
  Arrays lane_arrays(const Reduction& reduction, llvm::Value* lane);
  Partial load(const Reduction& reduction, const Arrays& arrays, llvm::Value* offset);
  void store(const Reduction& reduction, const Arrays& arrays, llvm::Value* offset,
             const Partial& partial);

  llvm::Value* tile_ = nullptr;       // its first row
  llvm::Value* tile_rows_ = nullptr;  // how many it has
  llvm::Value* strip_at_ = nullptr;   // the row of the tile that the strip starts from
  llvm::Value* o_ = nullptr;
  llvm::Value* c_ = nullptr;
  llvm::Value* place_ = nullptr;  // o * cols + c
  std::vector<llvm::Value*> arrays_;
  std::vector<char> kept_;             // row values that are needed outside of their strip
  std::vector<char> in_strip_;         // row values computed in the strip under way
  std::vector<Reduction> reductions_;  // of the phase under way
};

void ColumnsEmitter::emit_loops() {
  find_kept();
  place_arrays();
  Conditional any(ir_, ir_.CreateICmpSGT(rows_, ir_.number(0)), "rows");
  Loop tiles(ir_, "tile");
  tile_ = tiles.carry(ir_.number(0));
  llvm::Value* left = ir_.CreateSub(rows_, tile_);
  tile_rows_ = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, left, ir_.number(kColumnTile));
  for (const Phase& phase : phases_) {
    emit_row_code(phase);
    if (has_element_work(phase)) {
      emit_phase(phase);
    }
  }
  llvm::Value* next = ir_.CreateAdd(tile_, ir_.number(kColumnTile));
  tiles.close(ir_.CreateICmpSLT(next, rows_), {next});
  any.close();
}

void ColumnsEmitter::find_kept() {
  for (const Instr& user : kernel_.code) {
    for (const int n : {user.a, user.b, user.c}) {
      if (n < 0 || instr(n).level != Level::row || is_uniform(n)) {
        continue;
      }
      const bool same_strip = user.level == Level::row && user.kind != InstrKind::reduce &&
                              user.phase == instr(n).phase;
      if (!same_strip) {
        kept_[static_cast<std::size_t>(n)] = 1;
      }
    }
  }
}

/// As scratch_bytes. The array of a reduction is that of its result.
void ColumnsEmitter::place_arrays() {
  llvm::Value* next = scratch_;
  const auto take_bytes = [&](llvm::Value* bytes) {
    llvm::Value* taken = next;
    next = ir_.advance(next, bytes);
    return taken;
  };
  for (std::size_t n = 0; n < kernel_.code.size(); ++n) {
    const Instr& in = kernel_.code[n];
    if (in.kind == InstrKind::reduce) {
      const bool has_place = Reducer(ir_, kernel_, in).has_place();
      arrays_[n] = take_bytes(ir_.number((kLanes + 1) * kColumnArrayBytes * (has_place ? 2 : 1)));
    } else if (in.level == Level::row && (in.kind == InstrKind::load || in.kind == InstrKind::op)) {
      arrays_[n] = take_bytes(ir_.number(kColumnArrayBytes));
    } else if (in.spill) {
      llvm::Value* bytes = ir_.number(kColumnTile * reg_bytes(in.reg));
      arrays_[n] = take_bytes(ir_.CreateMul(row_elements_, bytes));
    }
  }
}

llvm::Value* ColumnsEmitter::at(Reg reg, llvm::Value* array, llvm::Value* offset) {
  return ir_.CreateGEP(ir_.scalar_type(reg), array, offset);
}

Lanes ColumnsEmitter::row_value(int n, llvm::Value* i) {
  const auto number = static_cast<std::size_t>(n);
  if (in_strip_[number] != 0) {
    return computed(n);
  }
  const Reg reg = instr(n).reg;
  llvm::Value* array = arrays_[number];
  if (instr(n).kind == InstrKind::reduce) {
    const bool has_place = Reducer(ir_, kernel_, instr(n)).has_place();
    array =
        ir_.advance(array, ir_.number((has_place ? kResultPlaces : kResults) * kColumnArrayBytes));
  }
  llvm::Value* address = at(reg, array, ir_.CreateAdd(strip_at_, i));
  return {ir_.CreateAlignedLoad(ir_.lanes(reg), address, llvm::Align(64)), nullptr};
}

llvm::Value* ColumnsEmitter::spill_address(int n, llvm::Value* i) {
  llvm::Value* column = ir_.CreateMul(place_, ir_.number(kColumnTile));
  llvm::Value* offset = ir_.CreateAdd(column, ir_.CreateAdd(strip_at_, i));
  return at(instr(n).reg, arrays_[static_cast<std::size_t>(n)], offset);
}

llvm::Value* ColumnsEmitter::index_lanes(llvm::Value* i) {
  llvm::Value* row = ir_.CreateAdd(tile_, ir_.CreateAdd(strip_at_, i));
  llvm::Value* start = ir_.CreateAdd(first_index_, ir_.CreateMul(row, row_elements_));
  return ir_.lane_places(ir_.CreateAdd(start, place_), row_elements_);
}

/// Calls `step` for each 16 rows of the tile, with their offset from strip_at_.
void ColumnsEmitter::over_tile(Strip& strip, const std::function<void(llvm::Value*)>& step) {
  std::vector<llvm::Value*> bases;
  for (const StripOperand& operand : strip.operands()) {
    llvm::Value* base = row_address(operand.number, tile_);
    const bool element =
        kernel_.operands[static_cast<std::size_t>(operand.number)].level == Level::element;
    bases.push_back(element ? element_address(operand.number, base, o_, c_, StrideClass::any)
                            : base);
  }
  Loop chunks(ir_, "chunk");
  strip_at_ = chunks.carry(ir_.number(0));
  llvm::Value* remaining = ir_.CreateSub(tile_rows_, strip_at_);
  llvm::Value* tail = ir_.CreateICmpSLT(remaining, ir_.number(kLanes));
  auto base = bases.begin();
  for (StripOperand& operand : strip.operands()) {
    operand.start.address = *base++;
    operand.start.stride_bytes = operand.start.stride_class == StrideClass::any
                                     ? row_stride(operand.number)
                                     : ir_.number(size_bytes(operand.dtype, 1));
    if (operand.start.stride_class != StrideClass::zero) {
      llvm::Value* skipped = ir_.CreateMul(strip_at_, operand.start.stride_bytes);
      operand.start.address = ir_.advance(operand.start.address, skipped);
    }
  }
  strip.enter(tail, remaining);
  llvm::Value* whole = ir_.CreateAnd(remaining, ir_.number(-static_cast<std::int64_t>(kLanes)));
  llvm::Value* count = ir_.CreateSelect(tail, ir_.number(kLanes), whole);
  Loop steps(ir_, "step");
  llvm::Value* i = steps.carry(ir_.number(0));
  step(i);
  llvm::Value* next = ir_.CreateAdd(i, ir_.number(kLanes));
  steps.close(ir_.CreateICmpSLT(next, count), {next});
  strip.leave();
  llvm::Value* after = ir_.CreateAdd(strip_at_, count);
  chunks.close(ir_.CreateICmpSLT(after, tile_rows_), {after});
}

void ColumnsEmitter::emit_row_code(const Phase& phase) {
  std::vector<int> code;
  for (const int n : phase.row_code) {
    if (!is_uniform(n)) {
      code.push_back(n);
    }
  }
  if (code.empty()) {
    return;
  }
  Strip strip(ir_, kernel_, variant_, isa_, code, Level::row);
  over_tile(strip, [&](llvm::Value* i) {
    for (const int n : code) {
      const Instr& in = instr(n);
      if (in.kind == InstrKind::store) {
        strip.store(in.operand, i, value(in.a, i).value);
        continue;
      }
      computed(n) =
          in.kind == InstrKind::load ? Lanes{strip.load(in.operand, i), nullptr} : apply_op(n, i);
      const auto number = static_cast<std::size_t>(n);
      in_strip_[number] = 1;
      if (kept_[number] != 0) {
        llvm::Value* address = at(in.reg, arrays_[number], ir_.CreateAdd(strip_at_, i));
        ir_.CreateAlignedStore(computed(n).value, address, llvm::Align(64));
      }
    }
  });
  for (const int n : code) {
    in_strip_[static_cast<std::size_t>(n)] = 0;
  }
}

/// Calls `body` with the offset of each 16 rows, up to the padding of the arrays.
void ColumnsEmitter::over_rows(const std::function<void(llvm::Value*)>& body) {
  Loop loop(ir_, "rows_of_tile");
  llvm::Value* offset = loop.carry(ir_.number(0));
  body(offset);
  llvm::Value* next = ir_.CreateAdd(offset, ir_.number(kLanes));
  loop.close(ir_.CreateICmpSLT(next, tile_rows_), {next});
}

ColumnsEmitter::Arrays ColumnsEmitter::lane_arrays(const Reduction& reduction, llvm::Value* lane) {
  const auto one = [&](llvm::Value* arrays) {
    return arrays == nullptr
               ? nullptr
               : ir_.advance(arrays, ir_.CreateMul(lane, ir_.number(kColumnArrayBytes)));
  };
  return {one(reduction.lanes.values), one(reduction.lanes.places)};
}

Partial ColumnsEmitter::load(const Reduction& reduction, const Arrays& arrays,
                             llvm::Value* offset) {
  const auto one = [&](Reg reg, llvm::Value* array) {
    return ir_.CreateAlignedLoad(ir_.lanes(reg), at(reg, array, offset), llvm::Align(64));
  };
  return {one(reduction.reducer.value_reg(), arrays.values),
          arrays.places == nullptr ? nullptr : one(Reg::i64, arrays.places)};
}

void ColumnsEmitter::store(const Reduction& reduction, const Arrays& arrays, llvm::Value* offset,
                           const Partial& partial) {
  const auto one = [&](Reg reg, llvm::Value* array, llvm::Value* lanes) {
    ir_.CreateAlignedStore(lanes, at(reg, array, offset), llvm::Align(64));
  };
  one(reduction.reducer.value_reg(), arrays.values, partial.value);
  if (arrays.places != nullptr) {
    one(Reg::i64, arrays.places, partial.place);
  }
}

void ColumnsEmitter::fill_lanes() {
  Loop lanes(ir_, "fill");
  llvm::Value* lane = lanes.carry(ir_.number(0));
  over_rows([&](llvm::Value* offset) {
    for (Reduction& reduction : reductions_) {
      store(reduction, lane_arrays(reduction, lane), offset, reduction.reducer.identity_lanes());
    }
  });
  llvm::Value* next = ir_.CreateAdd(lane, ir_.number(1));
  lanes.close(ir_.CreateICmpSLT(next, ir_.number(kLanes)), {next});
}

/// The tree: lane l with l + 8, then + 4, + 2, + 1.
void ColumnsEmitter::fold_lanes() {
  Loop widths(ir_, "fold");
  llvm::Value* width = widths.carry(ir_.number(kLanes / 2));
  Loop lanes(ir_, "fold_lane");
  llvm::Value* low = lanes.carry(ir_.number(0));
  llvm::Value* high = ir_.CreateAdd(low, width);
  over_rows([&](llvm::Value* offset) {
    for (Reduction& reduction : reductions_) {
      const Arrays low_arrays = lane_arrays(reduction, low);
      const Partial a = load(reduction, low_arrays, offset);
      const Partial b = load(reduction, lane_arrays(reduction, high), offset);
      store(reduction, low_arrays, offset, reduction.reducer.combine(a, b));
    }
  });
  llvm::Value* next = ir_.CreateAdd(low, ir_.number(1));
  lanes.close(ir_.CreateICmpSLT(next, width), {next});
  llvm::Value* half = ir_.CreateLShr(width, ir_.number(1));
  widths.close(ir_.CreateICmpSGT(half, ir_.number(0)), {half});
}

void ColumnsEmitter::end_block(llvm::Value* first) {
  fold_lanes();
  over_rows([&](llvm::Value* offset) {
    for (Reduction& r : reductions_) {
      const Partial block = load(r, r.lanes, offset);
      const Partial before = load(r, r.results, offset);
      const Partial chained = r.reducer.combine(before, block);
      store(r, r.results, offset, r.reducer.select(first, block, chained));
    }
  });
}

/// Takes 16 rows of the column into their lanes.
void ColumnsEmitter::take(const Phase& phase, llvm::Value* i) {
  llvm::Value* lane = lane_of(c_);
  llvm::Value* offset = ir_.CreateAdd(strip_at_, i);
  for (std::size_t k = 0; k < reductions_.size(); ++k) {
    Reduction& reduction = reductions_[k];
    const Instr& in = instr(phase.reductions[k]);
    const Arrays arrays = lane_arrays(reduction, lane);
    const Partial before = load(reduction, arrays, offset);
    llvm::Value* a = value(in.a, i).value;
    llvm::Value* b = in.b < 0 ? nullptr : value(in.b, i).value;
    const Partial after = reduction.reducer.take(before, a, b, ir_.splat(place_));
    store(reduction, arrays, offset, after);
  }
}

void ColumnsEmitter::emit_column(const Phase& phase) {
  Strip strip(ir_, kernel_, variant_, isa_, phase.element_code, Level::element);
  for (StripOperand& operand : strip.operands()) {
    if (!operand.written && operand.start.stride_class == StrideClass::unit) {
      operand.ahead_bytes = ir_.CreateMul(col_stride(operand.number), ir_.number(kColumnsAhead));
    }
  }
  over_tile(strip, [&](llvm::Value* i) {
    emit_step(phase, strip, i);
    take(phase, i);
  });
}

/// Finds the arrays of the reductions of a phase; their results begin as the identity.
void ColumnsEmitter::start_reductions(const Phase& phase) {
  reductions_.clear();
  for (const int n : phase.reductions) {
    Reducer reducer(ir_, kernel_, instr(n));
    llvm::Value* lanes = arrays_[static_cast<std::size_t>(n)];
    const auto array = [&](std::int64_t number) {
      return ir_.advance(lanes, ir_.number(number * kColumnArrayBytes));
    };
    Reduction reduction{reducer, {lanes, nullptr}, {array(kResults), nullptr}};
    if (reducer.has_place()) {
      reduction.lanes.places = array(kLanePlaces);
      reduction.results.places = array(kResultPlaces);
    }
    reductions_.push_back(reduction);
  }
  if (reductions_.empty()) {
    return;
  }
  over_rows([&](llvm::Value* offset) {
    for (Reduction& r : reductions_) {
      store(r, r.results, offset, r.reducer.identity_lanes());
    }
  });
}

/// At the first column of a block.
void ColumnsEmitter::start_block(llvm::Value* steps_left) {
  llvm::Value* starts = ir_.CreateAnd(ir_.CreateICmpEQ(steps_left, ir_.number(kReduceBlockSteps)),
                                      ir_.CreateICmpEQ(lane_of(c_), ir_.number(0)));
  Conditional start(ir_, starts, "block_start");
  fill_lanes();
  start.close();
}

void ColumnsEmitter::emit_phase(const Phase& phase) {
  start_reductions(phase);
  const bool reduces = !reductions_.empty();
  Conditional inside(ir_, ir_.CreateICmpSGT(row_elements_, ir_.number(0)), "elements");
  Loop columns(ir_, "column");
  o_ = columns.carry(ir_.number(0));
  c_ = columns.carry(ir_.number(0));
  llvm::Value* left = reduces ? columns.carry(ir_.number(kReduceBlockSteps)) : nullptr;
  llvm::Value* first = reduces ? columns.carry(ir_.getTrue()) : nullptr;
  place_ = ir_.CreateAdd(ir_.CreateMul(o_, cols_), c_);
  if (reduces) {
    start_block(left);
  }
  emit_column(phase);
  const Position after = move_on(o_, ir_.CreateAdd(c_, ir_.number(1)));
  std::vector<llvm::Value*> next{after.o, after.c};
  if (reduces) {
    llvm::Value* lane = lane_of(after.c);
    llvm::Value* step_ends = ir_.CreateICmpEQ(lane, ir_.number(0));
    llvm::Value* now_left = ir_.CreateSub(left, ir_.CreateZExt(step_ends, ir_.getInt64Ty()));
    llvm::Value* full = ir_.CreateICmpEQ(now_left, ir_.number(0));
    llvm::Value* ends = ir_.CreateOr(full, ir_.CreateNot(after.again));
    Conditional end(ir_, ends, "block_end");
    end_block(first);
    end.close();
    next.push_back(ir_.CreateSelect(ends, ir_.number(kReduceBlockSteps), now_left));
    next.push_back(ir_.CreateAnd(first, ir_.CreateNot(ends)));
  }
  columns.close(after.again, next);
  inside.close();
}

}  // namespace

std::unique_ptr<KernelEmitter> make_columns_emitter(llvm::Module& module, const Kernel& kernel,
                                                    const Variant& variant, Isa isa) {
  return std::make_unique<ColumnsEmitter>(module, kernel, variant, isa);
}

}  // namespace rondo::codegen
