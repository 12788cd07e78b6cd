// NVRTC, the compiler of CUDA C++, reached through dlopen. It needs no GPU.
#pragma once

#include <string>
#include <vector>

#include "codegen/cuda/shared_library.h"

namespace rondo::codegen::cuda {

/// What a program became: PTX text for "compute_75", a CUBIN for "sm_75".
struct CompiledProgram {
  std::string image;
  std::string log;  // warnings, and with `verbose` what each kernel takes
};

class Nvrtc {
 public:
  /// The newest NVRTC of this machine; null, and the reason, if there is none that fits.
  static const Nvrtc* get(std::string& reason);

  const std::string& path() const { return path_; }
  int major() const { return major_; }
  int minor() const { return minor_; }
  /// Architectures it compiles for, rising: 75, 80, ...
  const std::vector<int>& architectures() const { return architectures_; }

  /// What a kernel for a GPU of compute capability `capability` (90) is compiled for: its own
  /// machine code, or PTX of the newest architecture known when the GPU is newer.
  std::string target_for(int capability) const;

  /// Compiles `source`, which may include the headers of codegen/scalar and codegen/cuda/device.
  /// May be called from several threads. Errors: CompileError with the compiler's text.
  CompiledProgram compile(const std::string& source, const std::string& target,
                          bool verbose = false) const;

 private:
  struct Functions;
  bool open(std::string& reason);

  const Functions* functions_ = nullptr;
  std::string path_;
  int major_ = 0;
  int minor_ = 0;
  std::vector<int> architectures_;
};

/// A hash of all sources that decide the code of a kernel, and of the compiler: part of cache keys.
std::string compiler_identity(const Nvrtc& nvrtc);

}  // namespace rondo::codegen::cuda
