#include "codegen/cuda/driver.h"

#include <fmt/format.h>

#include "codegen/cuda/shared_library.h"
#include "core/base/error.h"

namespace rondo::codegen::cuda {

bool Driver::open(std::string& reason) {
  const OpenedLibrary library = open_library("libcuda.so.1");
  if (library.handle == nullptr) {
    reason = fmt::format("cuda: no driver: {}; install NVIDIA's driver", library.reason);
    return false;
  }
  path_ = library.path;
  const char* missing = nullptr;
// NOLINTBEGIN(bugprone-macro-parentheses): a declarator and its parameters.
#define RONDO_DRIVER_LOAD(member, symbol, parameters)                                   \
  member = reinterpret_cast<DriverResult(*) parameters>(find_symbol(library, #symbol)); \
  missing = missing == nullptr && member == nullptr ? #symbol : missing;
  // NOLINTEND(bugprone-macro-parentheses)
  RONDO_DRIVER_FUNCTIONS(RONDO_DRIVER_LOAD)
#undef RONDO_DRIVER_LOAD
  if (version != nullptr) {
    version(&cuda_version_);
  }
  if (missing != nullptr || cuda_version_ < kOldestDriver) {
    reason = fmt::format(
        "cuda: the driver {} is for CUDA {}.{}{}; CUDA {}.0 or later is required; "
        "install a newer driver",
        path_, cuda_version_ / 1000, cuda_version_ % 1000 / 10,
        missing == nullptr ? "" : fmt::format(" and has no {}", missing), kOldestDriver / 1000);
    return false;
  }
  if (const DriverResult result = init(0); result != kDriverSuccess) {
    reason = fmt::format("cuda: the driver {} does not start: {}", path_, describe(result));
    return false;
  }
  return true;
}

const Driver* Driver::get(std::string& reason) {
  struct Opened {
    Driver driver;
    std::string reason;
    bool good = driver.open(reason);
  };
  static const Opened& opened = *new Opened;
  reason = opened.reason;
  return opened.good ? &opened.driver : nullptr;
}

std::string Driver::describe(DriverResult result) const {
  const char* name = nullptr;
  const char* text = nullptr;
  error_name(result, &name);
  error_text(result, &text);
  return fmt::format("{} ({})", name == nullptr ? fmt::format("error {}", result) : name,
                     text == nullptr ? "no text" : text);
}

void Driver::check(DriverResult result, const char* what) const {
  if (result != kDriverSuccess) [[unlikely]] {
    rondo::check<OutOfMemoryError>(result != kDriverOutOfMemory, "cuda: {}: {}", what,
                                   describe(result));
    fail<DeviceError>("cuda: {}: {}", what, describe(result));
  }
}

}  // namespace rondo::codegen::cuda
