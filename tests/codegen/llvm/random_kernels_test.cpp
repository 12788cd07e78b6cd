#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "tests/codegen/llvm/compiled.h"
#include "tests/support/random_kernel.h"
#include "tests/support/reference_kernel.h"
#include "tests/support/settings.h"

namespace rondo::codegen {
namespace {

std::string difference_from_reference(const KernelCase& kernel_case) {
  CaseRun expected(kernel_case, Schedule::rows);
  run_reference(kernel_case.kernel, expected.args());
  for (const Isa isa : available_isas()) {
    for (const Schedule schedule : {Schedule::rows, Schedule::columns}) {
      const Variant variant = variant_of(kernel_case, schedule);
      const auto loaded = compile_and_load(kernel_case.kernel, variant, isa);
      CaseRun got(kernel_case, schedule);
      loaded->function()(&got.args());
      const std::string text = difference(kernel_case, got, expected);
      if (!text.empty()) {
        return std::string(isa_name(isa)) + " " + print(variant) + " " + text;
      }
    }
  }
  return {};
}

TEST(LlvmRandomKernels, GiveTheBitsOfTheReference) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    ASSERT_EQ(difference_from_reference(random_kernel(seed)), "") << "seed " << seed;
  }
}

/// Code for AVX-512 can be made anywhere, and must be whole in itself there too.
TEST(LlvmRandomKernels, CompileForEveryLevel) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const KernelCase kernel_case = random_kernel(seed);
    for (const Isa isa : {Isa::v3, Isa::v4}) {
      for (const Schedule schedule : {Schedule::rows, Schedule::columns}) {
        const MachineCode code = llvm_target_of_test().compile(
            kernel_case.kernel, variant_of(kernel_case, schedule), isa);
        EXPECT_LT(code.entry, code.bytes.size());
      }
    }
  }
}

}  // namespace
}  // namespace rondo::codegen
