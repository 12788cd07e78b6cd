// Random kernels, in every form, on the emulated GPU: the bits are those of the reference.
#include <gtest/gtest.h>

#include "tests/codegen/cuda/emulated.h"
#include "tests/support/reference_kernel.h"

namespace rondo::codegen::cuda {
namespace {

/// How a case is run: what the limits choose, or one form.
std::vector<LaunchLimits> limits_of(const Kernel& kernel) {
  LaunchLimits chosen;
  chosen.multiprocessors = 2;
  std::vector<LaunchLimits> all{chosen};
  const auto add = [&](Form form, bool split, bool wide) {
    LaunchLimits limits = chosen;
    limits.choose_form = limits.choose_split = false;
    limits.form = form;
    limits.split = split;
    limits.force_wide = wide;
    limits.allow_packs = false;
    all.push_back(limits);
  };
  if (can_flatten(kernel)) {
    add(Form::flat, false, true);
  }
  add(Form::rows, false, false);
  add(Form::block, false, true);
  add(Form::columns, false, false);
  if (can_split(kernel)) {
    add(Form::rows, true, true);
    add(Form::columns, true, false);
  }
  return all;
}

struct Attempt {
  std::uint64_t seed;
  KernelCase kernel_case;
  LaunchLimits limits;
  std::vector<int> kernels;
};

/// Compiles the forms of some seeds as one program and runs them in both orders.
void check_seeds(std::uint64_t begin, std::uint64_t end) {
  KernelProgram program;
  std::vector<Attempt> attempts;
  for (std::uint64_t seed = begin; seed < end; ++seed) {
    const KernelCase kernel_case = random_kernel(seed);
    const DeviceCall call = call_of(kernel_case);
    for (const LaunchLimits& limits : limits_of(kernel_case.kernel)) {
      const CudaPlan plan = plan_call(kernel_case.kernel, call, limits);
      attempts.push_back({seed, kernel_case, limits, program.add(kernel_case.kernel, plan)});
    }
  }
  const auto module = compile_for_emulation(program);
  for (const Attempt& attempt : attempts) {
    CaseRun expected(attempt.kernel_case, Schedule::rows);
    run_reference(attempt.kernel_case.kernel, expected.args());
    for (const bool last_first : {false, true}) {
      CaseRun got(attempt.kernel_case, Schedule::rows);
      try {
        run_emulated(*module, attempt.kernels, attempt.kernel_case, attempt.limits, last_first,
                     got);
      } catch (const ptx::PtxError& error) {
        FAIL() << "seed " << attempt.seed << " form " << static_cast<int>(attempt.limits.form)
               << ": " << error.what() << "\n"
               << print(attempt.kernel_case.kernel);
      }
      ASSERT_EQ(difference(attempt.kernel_case, got, expected), "")
          << "seed " << attempt.seed << " form " << static_cast<int>(attempt.limits.form);
    }
  }
}

class CudaRandomKernels : public testing::TestWithParam<int> {};

TEST_P(CudaRandomKernels, GiveTheBitsOfTheReference) {
  RONDO_NEEDS_NVRTC();
  const auto begin = static_cast<std::uint64_t>(GetParam());
  check_seeds(begin, begin + 5);
}

INSTANTIATE_TEST_SUITE_P(Seeds, CudaRandomKernels, testing::Range(0, 60, 5));

}  // namespace
}  // namespace rondo::codegen::cuda
