#include "codegen/interpreter/in_place.h"

#include <algorithm>

namespace rondo::codegen::interpreter {
namespace {

bool reads(const Step& step, int value) {
  return step.a == value || step.b == value || step.c == value;
}

/// The op step before `store` that makes its value, if the store may move there: no load between
/// them may miss what it writes. -1 if there is none.
int producer(const PhaseCode& phase, std::size_t store, const RegisterFile& registers) {
  const int value = phase.body[store].a;
  if (!registers.has_register(value)) {
    return -1;
  }
  for (std::size_t n = store; n-- > 0;) {
    const Step& step = phase.body[n];
    if (step.kind == StepKind::load) {
      return -1;
    }
    if (step.out == value) {
      return step.kind == StepKind::op ? static_cast<int>(n) : -1;
    }
  }
  return -1;
}

bool is_redirected(const PhaseCode& phase, int value) {
  return std::any_of(phase.redirects.begin(), phase.redirects.end(),
                     [&](const Redirect& redirect) { return redirect.value == value; });
}

/// Moves stores to where their values are made. Returns the positions at which memory changes.
std::vector<int> redirect_stores(Body& body, const std::vector<std::vector<int>>& positions,
                                 const RegisterFile& registers) {
  std::vector<int> changes;
  for (std::size_t p = 0; p < body.phases.size(); ++p) {
    PhaseCode& phase = body.phases[p];
    for (std::size_t n = 0; n < phase.body.size(); ++n) {
      Step& step = phase.body[n];
      if (step.kind != StepKind::store) {
        continue;
      }
      const int op =
          step.narrow || is_redirected(phase, step.a) ? -1 : producer(phase, n, registers);
      changes.push_back(positions[p][op < 0 ? n : static_cast<std::size_t>(op)]);
      if (op >= 0) {
        step.redirected = true;
        phase.redirects.push_back({step.a, step.operand});
      }
    }
  }
  return changes;
}

bool is_read_by_steps(const Body& body, int value) {
  return std::any_of(body.phases.begin(), body.phases.end(), [&](const PhaseCode& phase) {
    return std::any_of(phase.body.begin(), phase.body.end(),
                       [&](const Step& step) { return reads(step, value); });
  });
}

int operand_of_reduced(const Body& body, int value) {
  for (const PhaseCode& phase : body.phases) {
    for (const Step& step : phase.body) {
      if (step.out == value) {
        return step.kind == StepKind::load && step.direct == Direct::reduced ? step.operand : -1;
      }
    }
  }
  return -1;
}

}  // namespace

void use_memory_in_place(Body& body, const std::vector<std::vector<int>>& positions,
                         const RegisterFile& registers) {
  const std::vector<int> changes = redirect_stores(body, positions, registers);
  for (std::size_t p = 0; p < body.phases.size(); ++p) {
    for (std::size_t n = 0; n < body.phases[p].body.size(); ++n) {
      Step& step = body.phases[p].body[n];
      if (step.kind != StepKind::load || step.narrow || !registers.has_register(step.out)) {
        continue;
      }
      const int first = positions[p][n];
      const int last = registers.last_use(step.out);
      const bool may_change = std::any_of(changes.begin(), changes.end(), [&](int position) {
        return first < position && position < last;
      });
      if (!may_change) {
        step.direct = is_read_by_steps(body, step.out) ? Direct::always : Direct::reduced;
      }
    }
  }
  for (PhaseCode& phase : body.phases) {
    for (FoldStep& fold : phase.folds) {
      fold.a_operand = operand_of_reduced(body, fold.a);
      fold.b_operand = fold.b < 0 ? -1 : operand_of_reduced(body, fold.b);
    }
  }
}

}  // namespace rondo::codegen::interpreter
