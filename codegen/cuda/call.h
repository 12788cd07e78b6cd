// One call of a kernel on a GPU: which forms it takes, with which grids and parameters.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/cuda/variant.h"
#include "codegen/device_target.h"

namespace rondo::codegen::cuda {

/// What the choice of forms depends on, besides the call. Tests set `form` and `split`.
struct LaunchLimits {
  int multiprocessors = 1;
  Form form = Form::flat;
  bool choose_form = true;
  bool choose_split = true;
  bool split = false;
  bool allow_packs = true;
  bool force_wide = false;
};

/// One launch of a call.
struct CudaLaunch {
  CudaVariant variant;
  unsigned grid = 1;
  unsigned threads = kThreads;
};

/// The launches of a call, in order, and what they need.
struct CudaPlan {
  std::vector<CudaLaunch> launches;  // none: nothing is to be done
  std::int64_t scratch_bytes = 0;    // aligned to 16, of the call alone
};

CudaPlan plan_call(const Kernel& kernel, const DeviceCall& call, const LaunchLimits& limits);

/// The one parameter of the kernel: device/memory.h's Parameters, in words.
std::vector<std::uint64_t> pack_parameters(const DeviceCall& call, std::uint64_t scratch);

/// The most bytes of parameters that a kernel takes.
inline constexpr std::int64_t kParameterBytes = 32764;

}  // namespace rondo::codegen::cuda
