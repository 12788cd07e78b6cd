#include "codegen/cuda/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "codegen/cuda/emitter.h"
#include "codegen/cuda/plugin.h"
#include "core/base/error.h"

namespace rondo::codegen::cuda {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// A library that kernels do without, but ops will use.
struct Library {
  const char* name;
  const char* soname;
  const char* symbol;  // of the function that tells the version
  bool by_pointer;     // int f(int*), else size_t f()
};
constexpr Library kLibraries[] = {
    {"cublasLt", "libcublasLt.so.13", "cublasLtGetVersion", false},
    {"cudnn", "libcudnn.so.9", "cudnnGetVersion", false},
    {"nccl", "libnccl.so.2", "ncclGetVersion", true},
};

class Report {
 public:
  std::string make(bool& good) {
    driver();
    compiler();
    for (const Library& library : kLibraries) {
      optional(library);
    }
    row("RONDO_CUDA_PATH", or_not_set(variable("RONDO_CUDA_PATH")), "");
    row("LD_LIBRARY_PATH", or_not_set(variable("LD_LIBRARY_PATH")), "");
    good = !has_gpu_ || (driver_ && compiler_);
    if (!problems_.empty()) {
      text_ += "problems:\n";
      for (const std::string& problem : problems_) {
        text_ += fmt::format("- {}\n", problem);
      }
    }
    return text_;
  }

 private:
  static std::string or_not_set(const std::string& value) {
    return value.empty() ? "not set" : value;
  }

  void row(const std::string& name, const std::string& value, const std::string& path) {
    std::string line = fmt::format("{:<16} {:<10} {}", name, value, path);
    line.erase(line.find_last_not_of(' ') + 1);
    text_ += line + "\n";
  }

  void driver();
  void gpus(const Driver& found);
  void compiler();
  void optional(const Library& library);
  void look_for_conflicts(const std::string& soname, const std::string& taken);

  std::string text_;
  std::vector<std::string> problems_;
  bool has_gpu_ = true;
  bool driver_ = false;
  bool compiler_ = false;
  int driver_version_ = 0;
};

void Report::driver() {
  std::string reason;
  const Driver* found = Driver::get(reason);
  if (found == nullptr) {
    has_gpu_ = lists_gpu("/sys/bus/pci/devices");
    row("driver", "none", has_gpu_ ? "" : "there is no NVIDIA GPU; tensors live on the CPU");
    if (has_gpu_) {
      problems_.push_back(reason);
    }
    return;
  }
  driver_version_ = found->cuda_version();
  row("driver", fmt::format("CUDA {}.{}", driver_version_ / 1000, driver_version_ % 1000 / 10),
      found->path());
  look_for_conflicts("libcuda.so.1", found->path());
  gpus(*found);
}

void Report::gpus(const Driver& found) {
  int count = 0;
  const DriverResult result = found.device_count(&count);
  if (result != kDriverSuccess || count == 0) {
    problems_.push_back(
        fmt::format("the driver finds no GPU{}; see whether CUDA_VISIBLE_DEVICES hides them",
                    result == kDriverSuccess ? "" : ": " + found.describe(result)));
  }
  for (int index = 0; index < count; ++index) {
    try {
      const DeviceInfo info = CudaDevice(found, index).info();
      row(fmt::format("GPU {}", index), fmt::format("sm_{}", info.capability),
          fmt::format("{}, {} multiprocessors, {:.1f} GiB", info.name, info.multiprocessors,
                      static_cast<double>(info.memory_bytes) / (1 << 30)));
      driver_ = true;
    } catch (const Error& error) {
      problems_.push_back(fmt::format("GPU {} cannot be used: {}", index, error.what()));
    }
  }
}

/// Compiles something, for NVRTC's second library may be missing or of another version.
void Report::compiler() {
  std::string reason;
  const Nvrtc* found = Nvrtc::get(reason);
  if (found == nullptr) {
    row("nvrtc", "none", "");
    if (has_gpu_) {
      problems_.push_back(reason +
                          "; install the CUDA toolkit, or put the folder of libnvrtc into "
                          "RONDO_CUDA_PATH");
    }
    return;
  }
  const std::vector<int>& known = found->architectures();
  row("nvrtc", fmt::format("{}.{}", found->major(), found->minor()),
      fmt::format("{}, for sm_{} to sm_{}", found->path(), known.front(), known.back()));
  look_for_conflicts(fmt::format("libnvrtc.so.{}", found->major()), found->path());
  try {
    found->compile(std::string(program_head()) + "extern \"C\" __global__ void trial() {}\n",
                   fmt::format("sm_{}", known.front()));
    compiler_ = true;
  } catch (const Error& error) {
    problems_.push_back(fmt::format("NVRTC does not compile: {}", error.what()));
  }
  if (driver_version_ != 0 && found->major() > driver_version_ / 1000) {
    problems_.push_back(
        fmt::format("NVRTC {}.{} makes code that the driver for CUDA {}.{} does not "
                    "load; install a newer driver, or put the folder of "
                    "libnvrtc.so.{} into RONDO_CUDA_PATH",
                    found->major(), found->minor(), driver_version_ / 1000,
                    driver_version_ % 1000 / 10, driver_version_ / 1000));
    compiler_ = false;
  }
}

void Report::optional(const Library& library) {
  const OpenedLibrary opened = open_library(library.soname);
  if (opened.handle == nullptr) {
    row(library.name, "none", "");
    return;
  }
  std::size_t version = 0;
  void* symbol = find_symbol(opened, library.symbol);
  if (symbol != nullptr && library.by_pointer) {
    int number = 0;
    reinterpret_cast<int (*)(int*)>(symbol)(&number);
    version = static_cast<std::size_t>(number);
  } else if (symbol != nullptr) {
    version = reinterpret_cast<std::size_t (*)()>(symbol)();
  }
  row(library.name, fmt::format("{}.{}.{}", version / 10000, version % 10000 / 100, version % 100),
      opened.path);
  look_for_conflicts(library.soname, opened.path);
}

void Report::look_for_conflicts(const std::string& soname, const std::string& taken) {
  const std::string folders = variable("LD_LIBRARY_PATH") + ":" + variable("RONDO_CUDA_PATH") +
                              ":/usr/local/cuda/lib64:/usr/local/cuda/lib";
  const std::string conflict = conflict_of(soname, taken, copies_of(soname, folders));
  if (!conflict.empty()) {
    problems_.push_back(conflict);
  }
}

}  // namespace

bool lists_gpu(const std::string& folder) {
  std::error_code none;
  for (const auto& device : std::filesystem::directory_iterator(folder, none)) {
    std::string vendor;
    std::string kind;
    std::ifstream(device.path() / "vendor") >> vendor;
    std::ifstream(device.path() / "class") >> kind;
    if (vendor == "0x10de" && kind.starts_with("0x03")) {
      return true;
    }
  }
  return false;
}

std::vector<std::string> copies_of(const std::string& soname, const std::string& folders) {
  std::vector<std::string> copies;
  std::istringstream list(folders);
  for (std::string folder; std::getline(list, folder, ':');) {
    std::error_code error;
    const auto file = std::filesystem::canonical(folder + "/" + soname, error);
    if (!folder.empty() && !error &&
        std::find(copies.begin(), copies.end(), file.string()) == copies.end()) {
      copies.push_back(file.string());
    }
  }
  return copies;
}

std::string conflict_of(const std::string& soname, const std::string& taken,
                        const std::vector<std::string>& copies) {
  std::error_code error;
  const std::string own = std::filesystem::canonical(taken, error).string();
  std::string others;
  for (const std::string& copy : copies) {
    if (copy != own) {
      others += (others.empty() ? "" : ", ") + copy;
    }
  }
  return others.empty() ? ""
                        : fmt::format(
                              "{} is on this machine more than once: {} was taken, not {}; "
                              "set RONDO_CUDA_PATH to the folder that is wanted, or clear "
                              "LD_LIBRARY_PATH",
                              soname, own, others);
}

std::string make_report(bool& good) {
  return Report().make(good);
}

}  // namespace rondo::codegen::cuda
