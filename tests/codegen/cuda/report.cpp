// Writes docs/nvrtc-report.md: what the kernels of all ops take on each architecture, from the real
// compiler.
//   cuda_report FILE
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <map>
#include <mutex>
#include <thread>

#include "codegen/cuda/emitter.h"
#include "core/base/error.h"
#include "tests/codegen/cuda/emulated.h"
#include "tests/codegen/cuda/op_kernels.h"
#include "tests/codegen/cuda/resources.h"

namespace rondo::codegen::cuda {
namespace {

constexpr int kArchitectures[] = {75, 80, 90, 100, 120};
constexpr std::size_t kBatch = 40;  // kernels of one program

struct Entry {
  const OpKernel* kernel = nullptr;
  CudaVariant variant;
  std::map<int, KernelResources> resources;
};

std::vector<Entry> all_entries() {
  std::vector<Entry> entries;
  std::map<std::string, bool> known;
  for (const OpKernel& one : op_kernels()) {
    const Kernel& kernel = one.kernel_case.kernel;
    LaunchLimits limits;
    limits.multiprocessors = 132;
    limits.choose_form = can_flatten(kernel) || !one.columns;
    limits.form = Form::columns;
    for (const CudaLaunch& launch : plan_call(kernel, call_of(one.kernel_case), limits).launches) {
      if (known.emplace(print(kernel) + print(launch.variant), true).second) {
        entries.push_back({&one, launch.variant, {}});
      }
    }
  }
  return entries;
}

/// What is said of a batch of kernels; lines that are no figures go to `warnings`.
std::vector<KernelResources> compile(const Nvrtc& nvrtc, const std::vector<Entry>& entries,
                                     std::size_t begin, std::size_t end, int architecture,
                                     std::string& warnings) {
  std::string source = program_head();
  for (std::size_t i = begin; i < end; ++i) {
    source += emit_kernel(entries[i].kernel->kernel_case.kernel, entries[i].variant,
                          kernel_name(static_cast<int>(i)));
  }
  const CompiledProgram compiled = nvrtc.compile(source, fmt::format("sm_{}", architecture), true);
  return read_resources(compiled.log, warnings);
}

void fill(const Nvrtc& nvrtc, std::vector<Entry>& entries, std::string& warnings) {
  std::mutex mutex;
  std::atomic<std::size_t> next{0};
  const std::size_t batches = (entries.size() + kBatch - 1) / kBatch;
  const auto work = [&] {
    for (std::size_t job = next++; job < batches * std::size(kArchitectures); job = next++) {
      const int architecture = kArchitectures[job % std::size(kArchitectures)];
      const std::size_t begin = job / std::size(kArchitectures) * kBatch;
      const std::size_t end = std::min(entries.size(), begin + kBatch);
      std::string own;
      const auto found = compile(nvrtc, entries, begin, end, architecture, own);
      const std::lock_guard lock(mutex);
      warnings += own;
      for (const KernelResources& one : found) {
        if (one.entry) {
          entries[static_cast<std::size_t>(std::stoi(one.name.substr(13)))]
              .resources[architecture] = one;
        } else if (one.spill_bytes != 0) {
          warnings +=
              fmt::format("sm_{}: {} spills {} bytes\n", architecture, one.name, one.spill_bytes);
        }
      }
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < std::max(1U, std::thread::hardware_concurrency()); ++i) {
    threads.emplace_back(work);
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

std::string summary(const std::vector<Entry>& entries, int architecture) {
  std::vector<int> registers;
  int shared = 0;
  int spilling = 0;
  for (const Entry& entry : entries) {
    const KernelResources& found = entry.resources.at(architecture);
    registers.push_back(found.registers);
    shared = std::max(shared, found.shared_bytes);
    spilling += found.spill_bytes != 0 ? 1 : 0;
  }
  std::sort(registers.begin(), registers.end());
  const auto at = [&](double part) {
    return registers[static_cast<std::size_t>(part * static_cast<double>(registers.size() - 1))];
  };
  return fmt::format("| sm_{} | {} | {} | {} | {} | {} | {} |\n", architecture, registers.size(),
                     at(0.5), at(0.9), registers.back(), shared, spilling);
}

std::string row(const Entry& entry) {
  std::string text = fmt::format("| {} | {} |", entry.kernel->op, print(entry.variant));
  for (const int architecture : kArchitectures) {
    const KernelResources& found = entry.resources.at(architecture);
    text +=
        fmt::format(" {}{} |", found.registers,
                    found.spill_bytes == 0 ? "" : fmt::format(" (spills {})", found.spill_bytes));
  }
  return text + fmt::format(" {} |\n", entry.resources.at(90).shared_bytes);
}

std::string report(const Nvrtc& nvrtc, std::vector<Entry>& entries, const std::string& warnings) {
  std::string text = fmt::format(
      "# Kernels for GPUs: registers and shared memory\n\n"
      "Made by `cuda_report` (tests/codegen/cuda/report.cpp) with NVRTC {}.{}: the kernels that "
      "the cases of all ops and "
      "their gradients run by, in float64, float32 and float16, each in the form that a GPU of 132 "
      "multiprocessors would launch.\n\n"
      "| architecture | kernels | registers: median | 90 % | most | shared bytes: most | kernels "
      "that spill |\n| --- | --- | --- | --- | --- | --- | --- |\n",
      nvrtc.major(), nvrtc.minor());
  for (const int architecture : kArchitectures) {
    text += summary(entries, architecture);
  }
  text += warnings.empty() ? "\nThe compiler gave no warning.\n"
                           : fmt::format("\nThe compiler said:\n```\n{}```\n", warnings);
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.resources.at(90).registers > b.resources.at(90).registers;
  });
  text +=
      "\nThe forty with most registers on sm_90, and all that spill (registers by architecture; "
      "the op is the first one that asked for the kernel):\n\n"
      "| op | form | 75 | 80 | 90 | 100 | 120 | shared bytes |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- |\n";
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const bool spills = std::any_of(entries[i].resources.begin(), entries[i].resources.end(),
                                    [](const auto& at) { return at.second.spill_bytes != 0; });
    text += i < 40 || spills ? row(entries[i]) : "";
  }
  return text;
}

int write(const char* file) {
  std::string reason;
  const Nvrtc* nvrtc = Nvrtc::get(reason);
  check<UnsupportedError>(nvrtc != nullptr, "cuda_report: {}", reason);
  std::vector<Entry> entries = all_entries();
  std::string warnings;
  fill(*nvrtc, entries, warnings);
  std::ofstream(file) << report(*nvrtc, entries, warnings);
  return 0;
}

}  // namespace
}  // namespace rondo::codegen::cuda

int main(int argc, char** argv) {
  try {
    if (argc == 2) {
      return rondo::codegen::cuda::write(argv[1]);
    }
    std::fputs("cuda_report FILE\n", stderr);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
  }
  return 1;
}
