#include "codegen/interpreter/interpreter.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/isa.h"
#include "tests/support/random_kernel.h"
#include "tests/support/reference_kernel.h"

namespace rondo::codegen {
namespace {

/// Sets the vector level for as long as it lives.
class IsaScope {
 public:
  explicit IsaScope(Isa isa) : before_(current_isa()) { set_isa(isa); }
  ~IsaScope() { set_isa(before_); }
  IsaScope(const IsaScope&) = delete;
  IsaScope& operator=(const IsaScope&) = delete;

 private:
  Isa before_;
};

std::string difference_from_reference(const KernelCase& kernel_case) {
  CaseRun expected(kernel_case, Schedule::rows);
  run_reference(kernel_case.kernel, expected.args());
  for (const Isa isa : {Isa::v3, Isa::v4}) {
    if (!is_supported(isa)) {
      continue;
    }
    const IsaScope scope(isa);
    const InterpretedKernel kernel(kernel_case.kernel);
    for (const Schedule schedule : {Schedule::rows, Schedule::columns}) {
      CaseRun got(kernel_case, schedule);
      kernel.run(got.args(), schedule);
      const std::string text = difference(kernel_case, got, expected);
      if (!text.empty()) {
        return std::string(isa_name(isa)) + (schedule == Schedule::rows ? " rows " : " columns ") +
               text;
      }
    }
  }
  return {};
}

TEST(Interpreter, GivesTheBitsOfTheReferenceOnRandomKernels) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    ASSERT_EQ(difference_from_reference(random_kernel(seed)), "") << "seed " << seed;
  }
}

}  // namespace
}  // namespace rondo::codegen
