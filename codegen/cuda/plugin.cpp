#include "codegen/cuda/plugin.h"

#include "codegen/cuda/doctor.h"

namespace rondo::codegen::cuda {
namespace {

DevicePointer address(const void* block) {
  return reinterpret_cast<DevicePointer>(block);
}

}  // namespace

std::unique_ptr<CudaBackend> CudaBackend::make(std::string& reason) {
  const Driver* driver = Driver::get(reason);
  if (driver == nullptr) {
    return nullptr;
  }
  int count = 0;
  const DriverResult result = driver->device_count(&count);
  if (result != kDriverSuccess || count == 0) {
    reason = "cuda: the driver finds no GPU";
    return nullptr;
  }
  auto backend = std::make_unique<CudaBackend>();
  for (int index = 0; index < count; ++index) {
    backend->devices_.push_back(std::make_unique<CudaDevice>(*driver, index));
  }
  return backend;
}

void* CudaBackend::allocate(int index, std::int64_t bytes) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the driver gives addresses as numbers.
  return reinterpret_cast<void*>(device(index).allocate(bytes));
}

void CudaBackend::deallocate(int index, void* block, std::int64_t bytes) noexcept {
  device(index).release(address(block), bytes);
}

void CudaBackend::copy_in(int index, void* to, const void* from, std::int64_t bytes) {
  device(index).copy_in(address(to), from, bytes);
}

void CudaBackend::copy_out(int index, void* to, const void* from, std::int64_t bytes) {
  device(index).copy_out(to, address(from), bytes);
}

void CudaBackend::copy_within(int index, void* to, const void* from, std::int64_t bytes) {
  device(index).copy_within(address(to), address(from), bytes);
}

DeviceBackend* CudaPlugin::backend(std::string& reason) {
  std::call_once(tried_, [this] { backend_ = CudaBackend::make(reason_); });
  reason = reason_;
  return backend_.get();
}

std::string CudaPlugin::report(bool& good) {
  return make_report(good);
}

}  // namespace rondo::codegen::cuda
