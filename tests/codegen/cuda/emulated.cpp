#include "tests/codegen/cuda/emulated.h"

#include <fmt/format.h>

#include <cstring>

#include "codegen/cuda/emitter.h"

namespace rondo::codegen::cuda {
namespace {

void copy_to(ptx::DeviceMemory& memory, std::uint64_t address, const std::vector<std::byte>& from) {
  std::string fault;
  if (!from.empty()) {
    std::memcpy(memory.access(address, from.size(), true, fault), from.data(), from.size());
  }
}

}  // namespace

std::string kernel_name(int number) {
  return fmt::format("rondo_kernel_{}", number);
}

std::vector<int> KernelProgram::add(const Kernel& kernel, const CudaPlan& plan) {
  std::vector<int> found;
  for (const CudaLaunch& launch : plan.launches) {
    const auto [at, added] =
        numbers_.emplace(print(kernel) + print(launch.variant), static_cast<int>(numbers_.size()));
    if (added) {
      source_ += source_.empty() ? program_head() : "";
      source_ += emit_kernel(kernel, launch.variant, kernel_name(at->second));
    }
    found.push_back(at->second);
  }
  return found;
}

std::unique_ptr<ptx::Module> compile_for_emulation(const KernelProgram& program) {
  std::string reason;
  return ptx::parse_ptx(Nvrtc::get(reason)->compile(program.source(), "compute_75").image);
}

void run_emulated(ptx::Module& module, const std::vector<int>& kernels,
                  const KernelCase& kernel_case, const LaunchLimits& limits, bool last_first,
                  CaseRun& run) {
  ptx::DeviceMemory memory;
  std::vector<std::uint64_t> buffers;
  for (const std::vector<std::byte>& buffer : kernel_case.buffers) {
    buffers.push_back(memory.allocate(buffer.size()));
    copy_to(memory, buffers.back(), buffer);
  }
  const DeviceCall call = call_of(kernel_case, buffers);
  const CudaPlan plan = plan_call(kernel_case.kernel, call, limits);
  const std::uint64_t scratch = memory.allocate(static_cast<std::size_t>(plan.scratch_bytes));
  const std::vector<std::uint64_t> words = pack_parameters(call, scratch);
  for (std::size_t i = 0; i < plan.launches.size(); ++i) {
    const CudaLaunch& launch = plan.launches[i];
    ptx::Launch one;
    one.grid = {launch.grid, 1, 1};
    one.threads = {launch.threads, 1, 1};
    one.parameters = reinterpret_cast<const std::byte*>(words.data());
    one.parameter_bytes = words.size() * sizeof(std::uint64_t);
    one.last_first = last_first;
    ptx::run_kernel(module, kernel_name(kernels[i]), one, memory);
  }
  std::string fault;
  for (std::size_t n = 0; n < buffers.size(); ++n) {
    if (!run.buffers()[n].empty()) {
      std::memcpy(run.buffers()[n].data(),
                  memory.access(buffers[n], run.buffers()[n].size(), false, fault),
                  run.buffers()[n].size());
    }
  }
}

}  // namespace rondo::codegen::cuda
