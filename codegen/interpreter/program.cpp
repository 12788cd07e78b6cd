#include "codegen/interpreter/program.h"

#include <algorithm>
#include <utility>

#include "codegen/interpreter/in_place.h"
#include "codegen/interpreter/register_file.h"

namespace rondo::codegen {
namespace interpreter {
namespace {

bool is_native(Dtype dtype) {
  return size_bytes(dtype, 1) == reg_bytes(reg_of(dtype));
}

/// Phases without values computed again: each where it is first needed.
std::vector<Phase> resident_phases(std::vector<Phase> phases, std::size_t code_size) {
  std::vector<char> done(code_size, 0);
  for (Phase& phase : phases) {
    std::erase_if(phase.element_code, [&](int i) {
      return std::exchange(done[static_cast<std::size_t>(i)], char{1}) != 0;
    });
    phase.reloads.clear();
    phase.spills.clear();
  }
  return phases;
}

/// Spills that a later phase reads.
std::vector<int> used_spills(const std::vector<Phase>& phases) {
  std::vector<int> spills;
  for (const Phase& phase : phases) {
    spills.insert(spills.end(), phase.reloads.begin(), phase.reloads.end());
  }
  std::sort(spills.begin(), spills.end());
  spills.erase(std::unique(spills.begin(), spills.end()), spills.end());
  return spills;
}

class BodyBuilder {
 public:
  BodyBuilder(const Kernel& kernel, const BlockLoops& loops, bool resident)
      : kernel_(kernel),
        loops_(loops),
        resident_(resident),
        uniform_(uniform_values(kernel)),
        row_value_(kernel.code.size(), -1),
        spread_value_(kernel.code.size(), -1),
        element_value_(kernel.code.size(), -1) {
    phases_ = plan_phases(kernel);
    spills_ = used_spills(phases_);
    if (resident) {
      phases_ = resident_phases(std::move(phases_), kernel.code.size());
    }
  }

  Body build() {
    add_uniform();
    for (const Phase& phase : phases_) {
      body_.phases.emplace_back();
      positions_.emplace_back();
      add_phase(phase, body_.phases.back());
    }
    registers_.assign(body_);
    use_memory_in_place(body_, positions_, registers_);
    body_.bare = is_bare();
    return std::move(body_);
  }

 private:
  const Instr& instr(int i) const { return kernel_.code[static_cast<std::size_t>(i)]; }
  static int& at(std::vector<int>& values, int i) { return values[static_cast<std::size_t>(i)]; }
  bool is_uniform(int i) const { return uniform_[static_cast<std::size_t>(i)] != 0; }

  int spill_index(int i) const {
    const auto found = std::find(spills_.begin(), spills_.end(), i);
    return found == spills_.end() || resident_ ? -1 : static_cast<int>(found - spills_.begin());
  }

  void add_uniform() {
    for (int i = 0; i < static_cast<int>(kernel_.code.size()); ++i) {
      if (is_uniform(i)) {
        Step step = step_of(i, row_value_);
        step.out = at(row_value_, i) = registers_.define(reg_bytes(instr(i).reg));
        registers_.keep(step.out);
        step.copy = &loops_.copy(reg_bytes(instr(i).reg));
        body_.uniform.push_back(step);
        registers_.next();
      }
    }
  }

  /// The value as an operand of row code.
  int row_use(int i) {
    const int value = at(row_value_, i);
    if (is_uniform(i)) {
      mark_filled(value);
    }
    registers_.use(value);
    return value;
  }

  /// The value as an operand of element code.
  int element_use(int i) {
    if (instr(i).level == Level::element) {
      registers_.use(at(element_value_, i));
      return at(element_value_, i);
    }
    if (is_uniform(i)) {
      return row_use(i);
    }
    registers_.use(at(spread_value_, i));
    return at(spread_value_, i);
  }

  void mark_filled(int value) {
    for (Step& step : body_.uniform) {
      step.fills = step.fills || step.out == value;
    }
  }

  /// A step without its values, but with those of a uniform op, which are in `values`.
  Step step_of(int i, std::vector<int>& values) {
    const Instr& in = instr(i);
    Step step{.level = in.level, .operand = in.operand, .bits = in.bits};
    switch (in.kind) {
      case InstrKind::constant:
        step.kind = StepKind::constant;
        break;
      case InstrKind::scalar:
        step.kind = StepKind::scalar;
        break;
      case InstrKind::index:
        step.kind = StepKind::index;
        break;
      case InstrKind::op:
        step.kind = StepKind::op;
        step.op = block_function(in.scalar, kernel_.op_class(in));
        step.a = in.a < 0 ? -1 : at(values, in.a);
        step.b = in.b < 0 ? -1 : at(values, in.b);
        step.c = in.c < 0 ? -1 : at(values, in.c);
        break;
      default:
        set_memory(step, in);
        break;
    }
    return step;
  }

  void set_memory(Step& step, const Instr& in) {
    const Dtype dtype = kernel_.operands[static_cast<std::size_t>(in.operand)].dtype;
    step.kind = in.kind == InstrKind::load ? StepKind::load : StepKind::store;
    step.narrow = !is_native(dtype);
    step.bytes = static_cast<int>(size_bytes(dtype, 1));
    step.load = load_function(dtype);
    step.store = store_function(dtype);
    step.copy = &loops_.copy(step.bytes);
    if (step.narrow) {
      registers_.need_staging();
    }
  }

  void add_phase(const Phase& phase, PhaseCode& code) {
    for (const int i : phase.row_code) {
      if (!is_uniform(i)) {
        add_row_step(i, code);
      }
    }
    if (!resident_) {
      std::fill(element_value_.begin(), element_value_.end(), -1);
      std::fill(spread_value_.begin(), spread_value_.end(), -1);
    }
    add_spreads(phase, code);
    registers_.begin_loop();
    for (const int i : phase.reloads) {
      at(element_value_, i) = registers_.define_elsewhere();
      code.spilled.push_back({at(element_value_, i), spill_index(i)});
    }
    for (const int i : phase.element_code) {
      add_element_step(i, code);
    }
    for (const int i : phase.reductions) {
      add_fold(i, code);
    }
    registers_.end_loop();
    for (const FoldStep& fold : code.folds) {  // a result may come before the next fold reads
      registers_.use(fold.a);
      registers_.use(fold.b < 0 ? fold.a : fold.b);
    }
    for (std::size_t n = 0; n < code.folds.size(); ++n) {
      const int i = phase.reductions[n];
      code.folds[n].out = at(row_value_, i) = registers_.define(reg_bytes(instr(i).reg));
    }
    registers_.next();
  }

  void add_row_step(int i, PhaseCode& code) {
    const Instr& in = instr(i);
    for (const int use : {in.a, in.b, in.c}) {
      if (use >= 0) {
        row_use(use);
      }
    }
    Step step = step_of(i, row_value_);
    if (in.kind == InstrKind::store) {
      step.a = at(row_value_, in.a);
    } else {
      step.out = at(row_value_, i) = registers_.define(reg_bytes(in.reg), in.kind == InstrKind::op);
    }
    code.row.push_back(step);
    registers_.next();
  }

  void add_spreads(const Phase& phase, PhaseCode& code) {
    std::vector<int> users = phase.element_code;
    users.insert(users.end(), phase.reductions.begin(), phase.reductions.end());
    for (const int user : users) {
      for (const int i : {instr(user).a, instr(user).b, instr(user).c}) {
        if (i < 0 || instr(i).level == Level::element || is_uniform(i) ||
            at(spread_value_, i) >= 0) {
          continue;
        }
        const int bytes = static_cast<int>(reg_bytes(instr(i).reg));
        Step step{.kind = StepKind::spread, .bytes = bytes, .copy = &loops_.copy(bytes)};
        step.a = at(row_value_, i);
        registers_.use(step.a);
        step.out = at(spread_value_, i) = registers_.define(bytes);
        code.spreads.push_back(step);
        registers_.next();
      }
    }
    for (const Step& step : code.spreads) {  // a block of another size needs them once more
      registers_.use_in_loop(step.a);
    }
  }

  void add_element_step(int i, PhaseCode& code) {
    const Instr& in = instr(i);
    Step step = step_of(i, element_value_);
    if (in.a >= 0) {
      step.a = element_use(in.a);
    }
    if (in.b >= 0) {
      step.b = element_use(in.b);
    }
    if (in.c >= 0) {
      step.c = element_use(in.c);
    }
    if (in.kind != InstrKind::store) {
      const int spill = spill_index(i);
      const bool shares = in.kind == InstrKind::op;
      step.out =
          spill >= 0 ? registers_.define_elsewhere() : registers_.define(reg_bytes(in.reg), shares);
      at(element_value_, i) = step.out;
      if (spill >= 0) {
        code.spilled.push_back({step.out, spill});
      }
    }
    code.body.push_back(step);
    positions_.back().push_back(registers_.position());
    registers_.next();
  }

  void add_fold(int i, PhaseCode& code) {
    const Instr& in = instr(i);
    FoldStep fold{.loops = loops_.reduce(in.reduce, instr(in.a).reg), .number = folds_++};
    fold.bytes = static_cast<int>(reg_bytes(instr(in.a).reg));
    fold.a = element_use(in.a);
    fold.b = in.b < 0 ? -1 : element_use(in.b);
    code.folds.push_back(fold);
    registers_.next();
  }

  bool is_bare() const {
    return std::all_of(body_.phases.begin(), body_.phases.end(), [](const PhaseCode& phase) {
      return phase.spreads.empty() &&
             std::all_of(phase.body.begin(), phase.body.end(),
                         [](const Step& step) {
                           return step.kind == StepKind::load && step.direct == Direct::reduced;
                         }) &&
             std::all_of(phase.folds.begin(), phase.folds.end(), [](const FoldStep& fold) {
               return fold.a_operand >= 0 && (fold.b < 0 || fold.b_operand >= 0);
             });
    });
  }

  const Kernel& kernel_;
  const BlockLoops& loops_;
  bool resident_;
  std::vector<char> uniform_;
  std::vector<int> row_value_;      // of each instruction, -1 if it has none
  std::vector<int> spread_value_;   // likewise
  std::vector<int> element_value_;  // likewise, in the phase that is built
  std::vector<Phase> phases_;
  std::vector<int> spills_;
  std::vector<std::vector<int>> positions_;  // of the body steps of each phase
  RegisterFile registers_;
  Body body_;
  int folds_ = 0;
};

}  // namespace
}  // namespace interpreter

InterpretedProgram::InterpretedProgram(const Kernel& kernel) : loops(&block_loops(current_isa())) {
  verify(kernel);
  for (const KernelOperand& operand : kernel.operands) {
    const bool is_element = operand.level == Level::element;
    operands.push_back({size_bytes(operand.dtype, 1), is_element});
    has_row_memory = has_row_memory || !is_element;
  }
  for (const Instr& in : kernel.code) {
    folds += in.kind == InstrKind::reduce ? 1 : 0;
    has_index = has_index || in.kind == InstrKind::index;
  }
  for (const int i : interpreter::used_spills(plan_phases(kernel))) {
    spill_bytes.push_back(reg_bytes(kernel.code[static_cast<std::size_t>(i)].reg));
  }
  streamed = interpreter::BodyBuilder(kernel, *loops, false).build();
  if (folds != 0) {
    resident = interpreter::BodyBuilder(kernel, *loops, true).build();
  }
}

}  // namespace rondo::codegen
