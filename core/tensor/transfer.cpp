#include "core/tensor/transfer.h"

#include "core/base/error.h"
#include "core/tensor/copy.h"
#include "core/tensor/device_backend.h"

namespace rondo {
namespace {

/// The first and the last of the elements that a tensor reaches, counted from its own first one.
struct Extent {
  std::int64_t low = 0;
  std::int64_t high = 0;

  explicit Extent(const Tensor& tensor) {
    for (int i = 0; i < tensor.rank(); ++i) {
      const std::int64_t reach = (tensor.shape()[i] - 1) * tensor.strides()[i];
      (reach < 0 ? low : high) += reach;
    }
  }
};

}  // namespace

Tensor to_host(const Tensor& tensor) {
  const Device device = tensor.device();
  if (!device.is_remote()) {
    return tensor;
  }
  if (tensor.numel() == 0) {
    return Tensor::empty(tensor.shape(), tensor.dtype());
  }
  const Extent extent(tensor);
  const std::int64_t bytes = size_bytes(tensor.dtype(), extent.high - extent.low + 1);
  const auto memory = make_ref<Storage>(bytes);
  Storage& source = *tensor.storage();
  source.settle();
  const std::byte* from =
      source.address() + size_bytes(tensor.dtype(), tensor.offset() + extent.low);
  device_backend(device).copy_out(device.index, memory->raw_data(), from, bytes);
  return Tensor::view_of(memory, tensor.shape(), tensor.strides(), -extent.low, tensor.dtype());
}

void copy_from_host(const Tensor& target, const Tensor& source) {
  const Device device = target.device();
  if (!device.is_remote()) {
    copy_elements(target, source);
    return;
  }
  const Tensor whole = contiguous_copy(source);
  const std::int64_t bytes = size_bytes(target.dtype(), target.numel());
  if (bytes > 0) {
    std::byte* to = target.storage()->address() + size_bytes(target.dtype(), target.offset());
    device_backend(device).copy_in(device.index, to, whole.data(), bytes);
  }
}

Tensor to_device(const Tensor& tensor, Device device) {
  if (tensor.is_immediate() || tensor.device() == device) {
    return tensor;
  }
  check<DeviceError>(device.type != DeviceType::meta && tensor.device().type != DeviceType::meta,
                     "to: from {} to {}: a tensor on meta has no data; expected cpu or a GPU",
                     tensor.device().str(), device.str());
  const Tensor host = to_host(tensor);
  if (!device.is_remote()) {
    return contiguous_copy(host);
  }
  device_backend(device);  // its errors come first
  const Tensor result = Tensor::empty(tensor.shape(), tensor.dtype(), device);
  copy_from_host(result, host);
  return result;
}

}  // namespace rondo
