// The plug-in librondo_cuda: the devices of the driver behind the interfaces of core and codegen.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "codegen/cuda/device.h"
#include "codegen/device_target.h"

namespace rondo::codegen::cuda {

class CudaBackend final : public DeviceBackend, public DeviceTarget {
 public:
  /// Null, and the reason, where there is no driver or no GPU.
  static std::unique_ptr<CudaBackend> make(std::string& reason);

  int count() const override { return static_cast<int>(devices_.size()); }
  DeviceInfo info(int index) const override { return device(index).info(); }
  void* allocate(int index, std::int64_t bytes) override;
  void deallocate(int index, void* block, std::int64_t bytes) noexcept override;
  MemoryStats memory(int index) const override { return device(index).memory(); }
  void trim(int index) override { device(index).trim(); }
  void copy_in(int index, void* to, const void* from, std::int64_t bytes) override;
  void copy_out(int index, void* to, const void* from, std::int64_t bytes) override;
  void copy_within(int index, void* to, const void* from, std::int64_t bytes) override;
  void synchronize(int index) override { device(index).synchronize(); }
  void launch(int index, const Kernel& kernel, const DeviceCall& call) override {
    device(index).launch(kernel, call);
  }

 private:
  CudaDevice& device(int index) const { return *devices_.at(static_cast<std::size_t>(index)); }

  std::vector<std::unique_ptr<CudaDevice>> devices_;
};

class CudaPlugin final : public DevicePlugin {
 public:
  DeviceBackend* backend(std::string& reason) override;
  DeviceTarget& target() override { return *backend_; }
  std::string report(bool& good) override;

 private:
  std::unique_ptr<CudaBackend> backend_;
  std::string reason_;
  std::once_flag tried_;
};

}  // namespace rondo::codegen::cuda
