#include <gtest/gtest.h>

#include <utility>

#include "codegen/kernel.h"
#include "core/base/error.h"
#include "tests/support/check_error.h"

namespace rondo::codegen {
namespace {

Instr load(int operand) {
  return {.kind = InstrKind::load, .level = Level::element, .operand = operand};
}

/// out = x - maximum(x), in two phases.
Kernel centred() {
  Kernel kernel;
  kernel.operands = {{}, {.written = true}};
  kernel.code = {
      load(0),
      {.kind = InstrKind::reduce, .reduce = ReduceKind::maximum, .a = 0},
      {.kind = InstrKind::op,
       .scalar = ScalarOp::sub,
       .level = Level::element,
       .phase = 1,
       .a = 0,
       .b = 1},
      {.kind = InstrKind::store, .level = Level::element, .phase = 1, .operand = 1, .a = 2},
  };
  return kernel;
}

template <class Change>
void check_rejects(Change change, const char* what) {
  Kernel kernel = centred();
  change(kernel.code);
  check_error<InternalError>([&] { verify(kernel); },
                             std::string("internal: kernel: instruction ") + what +
                                 ": this is a defect of Rondo; please report it");
}

TEST(KernelVerify, AcceptsAKernelOfTwoPhases) {
  const Kernel kernel = centred();
  verify(kernel);
  const std::vector<Phase> phases = plan_phases(kernel);
  ASSERT_EQ(phases.size(), 2U);
  EXPECT_EQ(phases[0].reductions, std::vector<int>{1});
  EXPECT_EQ(phases[0].element_code, std::vector<int>{0});
  EXPECT_EQ(phases[1].element_code, (std::vector<int>{0, 2, 3}));
}

TEST(KernelVerify, PlansASpilledValueAsAReload) {
  Kernel kernel = centred();
  kernel.code[0].spill = true;
  const std::vector<Phase> phases = plan_phases(kernel);
  EXPECT_EQ(phases[0].spills, std::vector<int>{0});
  EXPECT_EQ(phases[1].reloads, std::vector<int>{0});
  EXPECT_EQ(phases[1].element_code, (std::vector<int>{2, 3}));
}

TEST(KernelVerify, NamesTheInstructionThatBreaksARule) {
  check_rejects([](auto& code) { code[2].phase = 0; }, "2 has the wrong phase");
  check_rejects([](auto& code) { code[2].b = -1; }, "2 has the wrong number of operands");
  check_rejects([](auto& code) { code[2].b = 3; }, "2 uses a later one");
  check_rejects([](auto& code) { code[2].level = Level::row; },
                "2 is a row value made from an element value");
  check_rejects([](auto& code) { code[1].reg = Reg::f64; }, "1 is of the wrong class");
  check_rejects([](auto& code) { code[1].spill = true; },
                "1 is marked spill but is no element value");
  check_rejects([](auto& code) { code[3].operand = 0; }, "3 uses an operand the wrong way");
  check_rejects([](auto& code) { code[0].operand = 2; }, "0 names no operand");
  check_rejects([](auto& code) { code[2].scalar = ScalarOp::bit_and; },
                "2 is an op on a class that it does not take");
}

}  // namespace
}  // namespace rondo::codegen
