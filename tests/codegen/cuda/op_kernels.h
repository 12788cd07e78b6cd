// The kernels that ops and their gradients run by, as cases on random memory.
#pragma once

#include <string>
#include <vector>

#include "tests/support/random_kernel.h"

namespace rondo::codegen::cuda {

struct OpKernel {
  std::string op;  // the first one that asked for the kernel
  KernelCase kernel_case;
  bool columns = false;  // operands lie with neighbouring rows next to each other
};

/// Every kernel that the cases of tests/core/ops and their gradients ask for, in float64, float32
/// and float16; each once.
const std::vector<OpKernel>& op_kernels();

}  // namespace rondo::codegen::cuda
