#include "codegen/cuda/nvrtc.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "codegen/cuda/device_sources.h"
#include "core/base/error.h"

namespace rondo::codegen::cuda {
namespace {

using Handle = void*;
using Result = int;  // 0 is success

/// Sonames, the newest first, and the version that each must have.
struct Candidate {
  const char* soname;
  int major;
};
constexpr Candidate kCandidates[] = {{"libnvrtc.so.13", 13}, {"libnvrtc.so.12", 12}};

}  // namespace

struct Nvrtc::Functions {
  Result (*version)(int*, int*) = nullptr;
  Result (*architecture_count)(int*) = nullptr;
  Result (*architectures)(int*) = nullptr;
  Result (*create)(Handle*, const char*, const char*, int, const char* const*,
                   const char* const*) = nullptr;
  Result (*destroy)(Handle*) = nullptr;
  Result (*compile)(Handle, int, const char* const*) = nullptr;
  Result (*log_size)(Handle, std::size_t*) = nullptr;
  Result (*log)(Handle, char*) = nullptr;
  Result (*ptx_size)(Handle, std::size_t*) = nullptr;
  Result (*ptx)(Handle, char*) = nullptr;
  Result (*cubin_size)(Handle, std::size_t*) = nullptr;
  Result (*cubin)(Handle, char*) = nullptr;
  const char* (*error_text)(Result) = nullptr;

  bool load(const OpenedLibrary& library) {
    bool all = true;
    const auto find = [&](auto& function, const char* name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(find_symbol(library, name));
      all = all && function != nullptr;
    };
    find(version, "nvrtcVersion");
    find(architecture_count, "nvrtcGetNumSupportedArchs");
    find(architectures, "nvrtcGetSupportedArchs");
    find(create, "nvrtcCreateProgram");
    find(destroy, "nvrtcDestroyProgram");
    find(compile, "nvrtcCompileProgram");
    find(log_size, "nvrtcGetProgramLogSize");
    find(log, "nvrtcGetProgramLog");
    find(ptx_size, "nvrtcGetPTXSize");
    find(ptx, "nvrtcGetPTX");
    find(cubin_size, "nvrtcGetCUBINSize");
    find(cubin, "nvrtcGetCUBIN");
    find(error_text, "nvrtcGetErrorString");
    return all;
  }
};

bool Nvrtc::open(std::string& reason) {
  for (const Candidate& candidate : kCandidates) {
    const OpenedLibrary library = open_library(candidate.soname);
    if (library.handle == nullptr) {
      reason += fmt::format("{}nvrtc: {}", reason.empty() ? "" : "; ", library.reason);
      continue;
    }
    auto* functions = new Functions;  // for the life of the process
    if (!functions->load(library) || functions->version(&major_, &minor_) != 0 ||
        major_ != candidate.major) {
      reason = fmt::format("nvrtc: {} is version {}.{}; {} is required", library.path, major_,
                           minor_, candidate.major);
      delete functions;
      continue;
    }
    functions_ = functions;
    path_ = library.path;
    int count = 0;
    functions->architecture_count(&count);
    architectures_.resize(static_cast<std::size_t>(count));
    functions->architectures(architectures_.data());
    std::sort(architectures_.begin(), architectures_.end());
    reason.clear();
    return true;
  }
  return false;
}

const Nvrtc* Nvrtc::get(std::string& reason) {
  struct Opened {
    Nvrtc nvrtc;
    std::string reason;
    bool good = nvrtc.open(reason);
  };
  static const Opened& opened = *new Opened;
  reason = opened.reason;
  return opened.good ? &opened.nvrtc : nullptr;
}

std::string Nvrtc::target_for(int capability) const {
  if (std::binary_search(architectures_.begin(), architectures_.end(), capability)) {
    return fmt::format("sm_{}", capability);
  }
  const auto above = std::upper_bound(architectures_.begin(), architectures_.end(), capability);
  check<UnsupportedError>(above != architectures_.begin(),
                          "cuda: the GPU has compute capability {}.{}; NVRTC {}.{} knows {} and up",
                          capability / 10, capability % 10, major_, minor_,
                          architectures_.empty() ? 0 : architectures_.front());
  return fmt::format("compute_{}", *(above - 1));
}

CompiledProgram Nvrtc::compile(const std::string& source, const std::string& target,
                               bool verbose) const {
  std::vector<const char*> names;
  std::vector<const char*> texts;
  for (const DeviceSource& header : device_sources()) {
    names.push_back(header.name);
    texts.push_back(header.text);
  }
  Handle program = nullptr;
  Result result = functions_->create(&program, source.c_str(), "kernel.cu",
                                     static_cast<int>(names.size()), texts.data(), names.data());
  check<CompileError>(result == 0, "nvrtc: no program: {}", functions_->error_text(result));
  const std::string architecture = "--gpu-architecture=" + target;
  // Generated code names values that nobody reads: 177.
  std::vector<const char*> options{architecture.c_str(), "--std=c++20",
                                   "--fmad=false",       "--device-as-default-execution-space",
                                   "--device-int128",    "--diag-suppress=177"};
  if (verbose) {
    options.push_back("--ptxas-options=-v");
  }
  result = functions_->compile(program, static_cast<int>(options.size()), options.data());
  const auto text = [&](auto size, auto get) {
    std::size_t bytes = 0;
    std::string found;
    if (size(program, &bytes) == 0 && bytes > 0) {
      found.resize(bytes);
      get(program, found.data());
    }
    return found;
  };
  CompiledProgram compiled;
  compiled.log = text(functions_->log_size, functions_->log).c_str();
  if (result == 0) {
    const bool ptx = target.starts_with("compute_");
    compiled.image = ptx ? text(functions_->ptx_size, functions_->ptx).c_str()
                         : text(functions_->cubin_size, functions_->cubin);
  }
  functions_->destroy(&program);
  check<CompileError>(result == 0, "nvrtc: a kernel does not compile for {}: {}\n{}", target,
                      functions_->error_text(result), compiled.log);
  return compiled;
}

std::string compiler_identity(const Nvrtc& nvrtc) {
  std::size_t hash = 0;
  for (const DeviceSource& header : device_sources()) {
    hash = hash * 1099511628211U + std::hash<std::string_view>{}(header.text);
  }
  return fmt::format("nvrtc {}.{} sources {:016x}", nvrtc.major(), nvrtc.minor(), hash);
}

}  // namespace rondo::codegen::cuda
