// Calls on devices: bound kernels are launched there; what is no kernel runs on the host between
// copies.
#pragma once

#include <cstdint>
#include <vector>

#include "core/op/executor.h"
#include "jit/launch.h"
#include "jit/plan.h"

namespace rondo::jit {

/// Launches a kernel on a device. `data[i]` is the address there of operand i at the origin of the
/// space; `nodes` of the calls' ops are counted.
void launch_on_device(Device device, const BoundKernel& kernel, const std::vector<std::byte*>& data,
                      const std::vector<std::uint64_t>& scalars, int nodes);

/// copy_elements for two tensors of one device, whichever that is.
void copy_in_place(const Tensor& target, const Tensor& source);

/// Runs the plan of a call whose tensors are on a device: its kernels there, or, where a step is no
/// kernel, all of it on the host, which is counted.
void run_on_device(const OpCall& call, Plan& plan);

}  // namespace rondo::jit
