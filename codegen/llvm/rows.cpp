// The rows schedule: one row after the other, vectors along c.
#include "codegen/llvm/kernel_emitter.h"

namespace rondo::codegen {
namespace {

class RowsEmitter final : public KernelEmitter {
 public:
  RowsEmitter(llvm::Module& module, const Kernel& kernel, const Variant& variant, Isa isa)
      : KernelEmitter(module, kernel, variant, isa) {}

 private:
  /// The loop over chunks: the steps that one turn of it takes, and where it stands.
  struct Chunk {
    llvm::Value* o = nullptr;
    llvm::Value* c = nullptr;
    llvm::Value* tail = nullptr;
    llvm::Value* steps_left = nullptr;  // in the block of a reduction
    llvm::Value* steps = nullptr;       // of this chunk
    llvm::Value* place = nullptr;       // o * cols + c
  };

  void emit_loops() override;
  Lanes row_value(int n, llvm::Value*) override { return computed(n); }
  llvm::Value* index_lanes(llvm::Value* i) override;
  llvm::Value* spill_address(int n, llvm::Value* i) override;

  void place_spills();
  void emit_row_code(const Phase& phase);
  void emit_phase(const Phase& phase);
  std::vector<Partial> emit_chunks(const Phase& phase);
  std::vector<Partial> emit_steps(const Phase& phase, Strip& strip,
                                  const std::vector<Accumulator>& before);
  void start_chunk(Strip& strip);
  std::vector<Accumulator> carry_accumulators(Loop& chunks);
  void end_block(llvm::Value* ends, llvm::Value* first, std::vector<Accumulator>& states);

  llvm::Value* row_ = nullptr;
  llvm::Value* has_elements_ = nullptr;
  std::vector<llvm::Value*> spills_;  // addresses, by instruction
  std::vector<Reducer> reducers_;     // of the phase under way
  Chunk chunk_;
};

void RowsEmitter::emit_loops() {
  place_spills();
  has_elements_ = ir_.CreateICmpSGT(row_elements_, ir_.number(0));
  Conditional any(ir_, ir_.CreateICmpSGT(rows_, ir_.number(0)), "rows");
  Loop rows(ir_, "row");
  row_ = rows.carry(ir_.number(0));
  for (const Phase& phase : phases_) {
    emit_row_code(phase);
    if (has_element_work(phase)) {
      emit_phase(phase);
    }
  }
  llvm::Value* next = ir_.CreateAdd(row_, ir_.number(1));
  rows.close(ir_.CreateICmpSLT(next, rows_), {next});
  any.close();
}

/// As scratch_bytes: a row of registers for each spilled value.
void RowsEmitter::place_spills() {
  spills_.resize(kernel_.code.size());
  llvm::Value* address = scratch_;
  for (std::size_t n = 0; n < kernel_.code.size(); ++n) {
    if (kernel_.code[n].spill) {
      spills_[n] = address;
      llvm::Value* count = ir_.CreateAdd(row_elements_, ir_.number(2 * kLanes - 1));
      count = ir_.CreateAnd(count, ir_.number(-static_cast<std::int64_t>(kLanes)));
      llvm::Value* bytes = ir_.number(reg_bytes(kernel_.code[n].reg));
      address = ir_.advance(address, ir_.CreateMul(count, bytes));
    }
  }
}

llvm::Value* RowsEmitter::spill_address(int n, llvm::Value* i) {
  llvm::Value* element = ir_.CreateAdd(chunk_.place, i);
  return ir_.CreateGEP(ir_.scalar_type(instr(n).reg), spills_[static_cast<std::size_t>(n)],
                       element);
}

llvm::Value* RowsEmitter::index_lanes(llvm::Value* i) {
  llvm::Value* start = ir_.CreateAdd(first_index_, ir_.CreateMul(row_, row_elements_));
  start = ir_.CreateAdd(start, chunk_.place);
  return ir_.lane_places(ir_.CreateAdd(start, i), ir_.number(1));
}

void RowsEmitter::emit_row_code(const Phase& phase) {
  for (const int n : phase.row_code) {
    const Instr& in = instr(n);
    if (is_uniform(n)) {
      continue;
    }
    if (in.kind == InstrKind::op) {
      computed(n) = apply_op(n, nullptr);
      continue;
    }
    llvm::Value* address = row_address(in.operand, row_);
    const Dtype dtype = kernel_.operands[static_cast<std::size_t>(in.operand)].dtype;
    if (in.kind == InstrKind::load) {
      computed(n) = {load_lanes(ir_, dtype, {address, StrideClass::zero, nullptr}), nullptr};
    } else {
      store_first_lane(ir_, dtype, address, value(in.a, nullptr).value);
    }
  }
}

void RowsEmitter::emit_phase(const Phase& phase) {
  reducers_.clear();
  for (const int n : phase.reductions) {
    reducers_.emplace_back(ir_, kernel_, instr(n));
  }
  Conditional inside(ir_, has_elements_, "elements");
  const std::vector<Partial> ran = emit_chunks(phase);
  std::vector<std::pair<llvm::Value*, llvm::Value*>> results;
  results.reserve(reducers_.size());
  for (std::size_t k = 0; k < reducers_.size(); ++k) {
    results.emplace_back(reducers_[k].result(ran[k]), reducers_[k].result(reducers_[k].identity()));
  }
  const std::vector<llvm::Value*> merged = inside.close(results);
  for (std::size_t k = 0; k < reducers_.size(); ++k) {
    computed(phase.reductions[k]) = {ir_.splat(merged[k]), nullptr};
  }
}

/// Tells the strip where its operands are, and how many steps the chunk has: up to the end of the
/// columns or of the block, or one for a tail.
void RowsEmitter::start_chunk(Strip& strip) {
  llvm::Value* remaining = ir_.CreateSub(cols_, chunk_.c);
  chunk_.tail = ir_.CreateICmpSLT(remaining, ir_.number(kLanes));
  chunk_.place = ir_.CreateAdd(ir_.CreateMul(chunk_.o, cols_), chunk_.c);
  for (StripOperand& operand : strip.operands()) {
    operand.start.address = element_address(operand.number, row_address(operand.number, row_),
                                            chunk_.o, chunk_.c, operand.start.stride_class);
    if (operand.start.stride_class == StrideClass::any) {
      operand.start.stride_bytes = col_stride(operand.number);
    }
  }
  strip.enter(chunk_.tail, remaining);
  llvm::Value* steps = ir_.CreateLShr(remaining, ir_.number(4));
  if (chunk_.steps_left != nullptr) {
    steps = ir_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, steps, chunk_.steps_left);
  }
  chunk_.steps = ir_.CreateSelect(chunk_.tail, ir_.number(1), steps);
}

/// The steps of a chunk; gives the lanes after them.
std::vector<Partial> RowsEmitter::emit_steps(const Phase& phase, Strip& strip,
                                             const std::vector<Accumulator>& before) {
  Loop steps(ir_, "step");
  llvm::Value* i = steps.carry(ir_.number(0));
  std::vector<Partial> lanes;
  for (const Accumulator& state : before) {
    Partial start{steps.carry(state.lanes.value), nullptr};
    if (state.lanes.place != nullptr) {
      start.place = steps.carry(state.lanes.place);
    }
    lanes.push_back(start);
  }
  emit_step(phase, strip, i);
  llvm::Value* next = ir_.CreateAdd(i, ir_.number(kLanes));
  std::vector<llvm::Value*> carried{next};
  for (std::size_t k = 0; k < lanes.size(); ++k) {
    const Instr& in = instr(phase.reductions[k]);
    llvm::Value* a = value(in.a, i).value;
    llvm::Value* b = in.b < 0 ? nullptr : value(in.b, i).value;
    llvm::Value* place = nullptr;
    if (reducers_[k].has_place()) {
      place = ir_.lane_places(ir_.CreateAdd(chunk_.place, i), ir_.number(1));
    }
    lanes[k] = reducers_[k].take(lanes[k], a, b, place);
    carried.push_back(lanes[k].value);
    if (lanes[k].place != nullptr) {
      carried.push_back(lanes[k].place);
    }
  }
  llvm::Value* end = ir_.CreateMul(chunk_.steps, ir_.number(kLanes));
  steps.close(ir_.CreateICmpSLT(next, end), carried);
  return lanes;
}

/// Where a block ends: its lanes join the result, and the next block starts from the identity.
void RowsEmitter::end_block(llvm::Value* ends, llvm::Value* first,
                            std::vector<Accumulator>& states) {
  Conditional inside(ir_, ends, "block_end");
  std::vector<std::pair<llvm::Value*, llvm::Value*>> choices;
  for (std::size_t k = 0; k < states.size(); ++k) {
    Reducer& reducer = reducers_[k];
    const Partial block = reducer.tree(states[k].lanes);
    const Partial chained = reducer.combine(states[k].result, block);
    const Partial result = reducer.select(first, block, chained);
    const Partial identity = reducer.identity_lanes();
    choices.emplace_back(result.value, states[k].result.value);
    choices.emplace_back(identity.value, states[k].lanes.value);
    if (reducer.has_place()) {
      choices.emplace_back(result.place, states[k].result.place);
      choices.emplace_back(identity.place, states[k].lanes.place);
    }
  }
  const std::vector<llvm::Value*> merged = inside.close(choices);
  auto next = merged.begin();
  for (Accumulator& state : states) {
    state.result.value = *next++;
    state.lanes.value = *next++;
    if (state.lanes.place != nullptr) {
      state.result.place = *next++;
      state.lanes.place = *next++;
    }
  }
}

std::vector<Accumulator> RowsEmitter::carry_accumulators(Loop& chunks) {
  std::vector<Accumulator> states;
  for (Reducer& reducer : reducers_) {
    const auto carry = [&](const Partial& start) {
      llvm::Value* value = chunks.carry(start.value);
      return Partial{value, start.place == nullptr ? nullptr : chunks.carry(start.place)};
    };
    const Partial lanes = carry(reducer.identity_lanes());
    states.push_back({lanes, carry(reducer.identity())});
  }
  return states;
}

std::vector<Partial> RowsEmitter::emit_chunks(const Phase& phase) {
  Strip strip(ir_, kernel_, variant_, isa_, phase.element_code, Level::element);
  const bool reduces = !phase.reductions.empty();
  Loop chunks(ir_, "chunk");
  chunk_ = {};
  chunk_.o = chunks.carry(ir_.number(0));
  chunk_.c = chunks.carry(ir_.number(0));
  chunk_.steps_left = reduces ? chunks.carry(ir_.number(kReduceBlockSteps)) : nullptr;
  llvm::Value* first = reduces ? chunks.carry(ir_.getTrue()) : nullptr;
  std::vector<Accumulator> states = carry_accumulators(chunks);

  start_chunk(strip);
  const std::vector<Partial> lanes = emit_steps(phase, strip, states);
  strip.leave();
  for (std::size_t k = 0; k < states.size(); ++k) {
    states[k].lanes = reducers_[k].select(strip.mask(), lanes[k], states[k].lanes);
  }
  llvm::Value* taken = ir_.CreateMul(chunk_.steps, ir_.number(kLanes));
  const Position after = move_on(chunk_.o, ir_.CreateAdd(chunk_.c, taken));
  std::vector<llvm::Value*> next{after.o, after.c};
  if (reduces) {
    llvm::Value* left = ir_.CreateSub(chunk_.steps_left, chunk_.steps);
    llvm::Value* full = ir_.CreateICmpEQ(left, ir_.number(0));
    llvm::Value* ends = ir_.CreateOr(full, ir_.CreateNot(after.again));
    end_block(ends, first, states);
    next.push_back(ir_.CreateSelect(ends, ir_.number(kReduceBlockSteps), left));
    next.push_back(ir_.CreateAnd(first, ir_.CreateNot(ends)));
  }
  std::vector<Partial> results;
  for (const Accumulator& state : states) {
    for (llvm::Value* part :
         {state.lanes.value, state.lanes.place, state.result.value, state.result.place}) {
      if (part != nullptr) {
        next.push_back(part);
      }
    }
    results.push_back(state.result);
  }
  chunks.close(after.again, next);
  return results;
}

}  // namespace

std::unique_ptr<KernelEmitter> make_rows_emitter(llvm::Module& module, const Kernel& kernel,
                                                 const Variant& variant, Isa isa) {
  return std::make_unique<RowsEmitter>(module, kernel, variant, isa);
}

}  // namespace rondo::codegen
