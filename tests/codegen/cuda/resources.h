// What ptxas says of compiled kernels.
#pragma once

#include <string>
#include <vector>

namespace rondo::codegen::cuda {

/// Of one kernel or of a function that kernels call.
struct KernelResources {
  std::string name;
  bool entry = false;
  int registers = 0;
  int shared_bytes = 0;
  int stack_bytes = 0;
  int spill_bytes = 0;  // stores and loads
};

/// From the log of a verbose compile. Lines that are neither of the known forms nor times are
/// warnings, and are put into `warnings`.
std::vector<KernelResources> read_resources(const std::string& log, std::string& warnings);

}  // namespace rondo::codegen::cuda
