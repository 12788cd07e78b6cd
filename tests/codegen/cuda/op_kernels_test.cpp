// The kernels of ops and their gradients: on the emulated GPU they give the interpreter's bits, and
// the real compiler takes them for every architecture.
#include <gtest/gtest.h>

#include "codegen/interpreter/interpreter.h"
#include "tests/codegen/cuda/emulated.h"
#include "tests/codegen/cuda/op_kernels.h"
#include "tests/codegen/cuda/resources.h"

namespace rondo::codegen::cuda {
namespace {

constexpr std::size_t kParts = 8;  // of the kernels, so that each test stays short

LaunchLimits limits_of(const OpKernel& op_kernel) {
  LaunchLimits limits;
  limits.multiprocessors = 2;
  if (!can_flatten(op_kernel.kernel_case.kernel) && op_kernel.columns) {
    limits.choose_form = false;
    limits.form = Form::columns;
  }
  return limits;
}

CudaPlan plan_of(const OpKernel& op_kernel, const LaunchLimits& limits) {
  const KernelCase& kernel_case = op_kernel.kernel_case;
  return plan_call(kernel_case.kernel, call_of(kernel_case), limits);
}

class CudaOpKernels : public testing::TestWithParam<std::size_t> {};

TEST_P(CudaOpKernels, GiveTheBitsOfTheInterpreter) {
  RONDO_NEEDS_NVRTC();
  KernelProgram program;
  std::vector<std::pair<const OpKernel*, std::vector<int>>> runs;
  for (std::size_t i = GetParam(); i < op_kernels().size(); i += kParts) {
    const OpKernel& one = op_kernels()[i];
    runs.emplace_back(&one, program.add(one.kernel_case.kernel, plan_of(one, limits_of(one))));
  }
  ASSERT_FALSE(runs.empty());
  const auto module = compile_for_emulation(program);
  for (const auto& [one, kernels] : runs) {
    const KernelCase& kernel_case = one->kernel_case;
    CaseRun expected(kernel_case, Schedule::rows);
    InterpretedKernel(kernel_case.kernel).run(expected.args(), Schedule::rows);
    CaseRun got(kernel_case, Schedule::rows);
    run_emulated(*module, kernels, kernel_case, limits_of(*one), false, got);
    EXPECT_EQ(difference(kernel_case, got, expected), "") << one->op;
  }
}

INSTANTIATE_TEST_SUITE_P(Parts, CudaOpKernels, testing::Range(std::size_t{0}, kParts));

class CudaArchitectures : public testing::TestWithParam<int> {};

/// Each architecture takes another part of the kernels; cuda_report takes all for all.
TEST_P(CudaArchitectures, TakeKernelsWithoutWarningOrSpill) {
  RONDO_NEEDS_NVRTC();
  std::string reason;
  const Nvrtc& nvrtc = *Nvrtc::get(reason);
  const std::vector<int>& known = nvrtc.architectures();
  if (std::find(known.begin(), known.end(), GetParam()) == known.end()) {
    GTEST_SKIP() << "NVRTC " << nvrtc.major() << "." << nvrtc.minor() << " does not know sm_"
                 << GetParam();
  }
  KernelProgram program;
  std::map<std::string, const OpKernel*> kernels;
  for (std::size_t i = static_cast<std::size_t>(GetParam()) / 5 % 12; i < op_kernels().size();
       i += 12) {
    const OpKernel& one = op_kernels()[i];
    for (const int number : program.add(one.kernel_case.kernel, plan_of(one, limits_of(one)))) {
      kernels[kernel_name(number)] = &one;
    }
  }
  const CompiledProgram compiled =
      nvrtc.compile(program.source(), "sm_" + std::to_string(GetParam()), true);
  EXPECT_EQ(compiled.image.substr(0, 4), "\177ELF");
  std::string warnings;
  int entries = 0;
  for (const KernelResources& kernel : read_resources(compiled.log, warnings)) {
    EXPECT_EQ(kernel.spill_bytes, 0)
        << kernel.name << "\n"
        << (kernel.entry ? print(kernels.at(kernel.name)->kernel_case.kernel) : "");
    entries += kernel.entry ? 1 : 0;
  }
  EXPECT_EQ(warnings, "");
  EXPECT_EQ(entries, program.count());
}

INSTANTIATE_TEST_SUITE_P(Sm, CudaArchitectures, testing::Values(75, 80, 90, 100, 120));

}  // namespace
}  // namespace rondo::codegen::cuda
