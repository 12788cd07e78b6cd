#include "core/tensor/device_backend.h"

#include <array>
#include <mutex>
#include <utility>

#include "core/base/error.h"

namespace rondo {
namespace {

struct Kind {
  DeviceOpener opener;
  DeviceBackend* backend = nullptr;
  std::string reason;
  bool tried = false;
};

struct Kinds {
  std::mutex mutex;
  std::array<Kind, 3> list;
};

/// Leaked on purpose: tensors may outlive static destruction.
Kinds& kinds() {
  static Kinds* const instance = new Kinds;
  return *instance;
}

}  // namespace

void set_device_opener(DeviceType type, DeviceOpener opener) {
  const std::lock_guard lock(kinds().mutex);
  Kind& kind = kinds().list.at(static_cast<std::size_t>(type));
  kind = Kind{};
  kind.opener = std::move(opener);
}

DeviceBackend* find_device_backend(DeviceType type, std::string& reason) {
  const std::lock_guard lock(kinds().mutex);
  Kind& kind = kinds().list.at(static_cast<std::size_t>(type));
  if (!kind.tried) {
    kind.tried = true;
    kind.reason = "no plug-in for it is installed";
    kind.backend = kind.opener ? kind.opener(kind.reason) : nullptr;
  }
  reason = kind.reason;
  return kind.backend;
}

DeviceBackend& device_backend(Device device) {
  std::string reason;
  DeviceBackend* backend = find_device_backend(device.type, reason);
  check<DeviceError>(backend != nullptr, "device: {} is not usable: {}", device.str(), reason);
  check<DeviceError>(device.index < backend->count(),
                     "device: there is no {}: {} devices of that kind; count from 0", device.str(),
                     backend->count());
  return *backend;
}

}  // namespace rondo
