// What the tests of kernels for GPUs share: the call of a kernel case, and the compiler that they
// need.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/cuda/nvrtc.h"
#include "codegen/device_target.h"
#include "tests/support/random_kernel.h"

/// Skips the test where there is no NVRTC, and says why.
#define RONDO_NEEDS_NVRTC()                                         \
  std::string missing_nvrtc;                                        \
  if (rondo::codegen::cuda::Nvrtc::get(missing_nvrtc) == nullptr) { \
    GTEST_SKIP() << "no NVRTC on this machine: " << missing_nvrtc;  \
  }                                                                 \
  static_cast<void>(0)

namespace rondo::codegen::cuda {

/// The call of a case, on buffers at those addresses.
inline DeviceCall call_of(const KernelCase& kernel_case,
                          const std::vector<std::uint64_t>& buffers) {
  DeviceCall call;
  for (const CaseOperand& operand : kernel_case.operands) {
    call.data.push_back(buffers[static_cast<std::size_t>(operand.buffer)] +
                        static_cast<std::uint64_t>(operand.offset));
    call.row_stride.push_back(operand.row_stride);
    call.outer_stride.push_back(operand.outer_stride);
    call.col_stride.push_back(operand.col_stride);
  }
  call.scalars = kernel_case.scalars;
  call.rows = kernel_case.rows;
  call.outer = kernel_case.outer;
  call.cols = kernel_case.cols;
  call.first_index = kernel_case.first_index;
  return call;
}

/// The call of a case for planning it, when its buffers have no address yet.
inline DeviceCall call_of(const KernelCase& kernel_case) {
  return call_of(kernel_case, std::vector<std::uint64_t>(kernel_case.buffers.size(), 1 << 20));
}

}  // namespace rondo::codegen::cuda
