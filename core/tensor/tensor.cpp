#include "core/tensor/tensor.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "core/base/error.h"
#include "core/base/float_environment.h"
#include "core/tensor/transfer.h"

namespace rondo {

Tensor Tensor::empty(const Shape& shape, Dtype dtype, Device device) {
  auto* impl = new TensorImpl;
  Ref<TensorImpl> ref(impl);
  impl->storage = make_ref<Storage>(size_bytes(dtype, shape.numel()), device);
  impl->shape = shape;
  impl->strides = contiguous_strides(shape);
  impl->dtype = dtype;
  return Tensor(std::move(ref));
}

Tensor Tensor::view_of(const Ref<Storage>& storage, const Shape& shape, const Shape& strides,
                       std::int64_t offset, Dtype dtype) {
  auto* impl = new TensorImpl;
  Ref<TensorImpl> ref(impl);
  impl->storage = storage;
  impl->shape = shape;
  impl->strides = strides;
  impl->offset = offset;
  impl->dtype = dtype;
  return Tensor(std::move(ref));
}

Tensor Tensor::immediate(const Scalar& value, Dtype dtype, bool weak) {
  auto* impl = new TensorImpl;
  Ref<TensorImpl> ref(impl);
  impl->dtype = dtype;
  impl->weak = weak;
  impl->immediate = value;
  return Tensor(std::move(ref));
}

std::int64_t Tensor::size(std::int64_t axis) const {
  check<IndexError>(rank() > 0, "size: axis {} of a tensor of rank 0; it has no axes", axis);
  return impl_->shape[normalize_axis(axis, rank(), "size")];
}

std::byte* Tensor::data() const {
  invariant(defined() && impl_->storage, "data of a tensor without storage");
  return impl_->storage->data() + size_bytes(impl_->dtype, impl_->offset);
}

Scalar Tensor::item() const {
  if (is_immediate()) {
    return impl_->immediate;
  }
  check<ArgumentError>(numel() == 1, "item: {} elements of shape {}; exactly one is required",
                       numel(), shape());
  const FloatEnvironment environment;  // the number is widened
  return read_element(to_host(*this).data(), dtype());
}

std::uint16_t float_to_half(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) {
    return static_cast<std::uint16_t>(sign | 0x7e00U);
  }
  if (magnitude >= 0x477ff000U) {
    return static_cast<std::uint16_t>(sign | 0x7c00U);
  }
  if (magnitude < 0x38800000U) {  // subnormal: let the float adder round
    const float scaled = std::bit_cast<float>(magnitude) + 0.5F;
    return static_cast<std::uint16_t>(sign | (std::bit_cast<std::uint32_t>(scaled) - 0x3f000000U));
  }
  const std::uint32_t rounded = magnitude + 0xfffU + ((magnitude >> 13) & 1U);
  return static_cast<std::uint16_t>(sign | ((rounded - 0x38000000U) >> 13));
}

float half_to_float(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16;
  const std::uint32_t magnitude = bits & 0x7fffU;
  if (magnitude >= 0x7c00U) {
    return std::bit_cast<float>(sign | 0x7f800000U | ((magnitude & 0x3ffU) << 13));
  }
  if (magnitude < 0x400U) {
    const float value = static_cast<float>(magnitude) * 0x1p-24F;
    return sign != 0 ? -value : value;
  }
  return std::bit_cast<float>(sign | ((magnitude << 13) + 0x38000000U));
}

std::uint16_t float_to_bfloat(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) {
    return static_cast<std::uint16_t>((bits >> 16) | 0x40U);
  }
  return static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

float bfloat_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

namespace {

template <class T>
T load(const std::byte* address) {
  T value;
  std::memcpy(&value, address, sizeof value);
  return value;
}

template <class T>
void store(std::byte* address, T value) {
  std::memcpy(address, &value, sizeof value);
}

/// The rule of casts to integers: through int32 for the narrow ones, the least value for what does
/// not fit.
std::int32_t to_int32(const Scalar& value) {
  if (!value.is_floating()) {
    return static_cast<std::int32_t>(value.to_int());
  }
  const double d = value.to_double();
  return d > -2147483649.0 && d < 2147483648.0 ? static_cast<std::int32_t>(d) : INT32_MIN;
}

}  // namespace

Scalar read_element(const std::byte* address, Dtype dtype) {
  switch (dtype) {
    case Dtype::boolean:
      return Scalar(load<std::uint8_t>(address) != 0);
    case Dtype::uint8:
      return Scalar(static_cast<long>(load<std::uint8_t>(address)));
    case Dtype::int8:
      return Scalar(static_cast<long>(load<std::int8_t>(address)));
    case Dtype::int16:
      return Scalar(static_cast<long>(load<std::int16_t>(address)));
    case Dtype::int32:
      return Scalar(static_cast<long>(load<std::int32_t>(address)));
    case Dtype::int64:
      return Scalar(static_cast<long>(load<std::int64_t>(address)));
    case Dtype::float16:
      return Scalar(half_to_float(load<std::uint16_t>(address)));
    case Dtype::bfloat16:
      return Scalar(bfloat_to_float(load<std::uint16_t>(address)));
    case Dtype::float32:
      return Scalar(load<float>(address));
    default:
      return Scalar(load<double>(address));
  }
}

void write_element(std::byte* address, Dtype dtype, const Scalar& value) {
  switch (dtype) {
    case Dtype::boolean:
      return store(address, static_cast<std::uint8_t>(value.to_bool() ? 1 : 0));
    case Dtype::uint8:
    case Dtype::int8:
      return store(address, static_cast<std::uint8_t>(to_int32(value)));
    case Dtype::int16:
      return store(address, static_cast<std::uint16_t>(to_int32(value)));
    case Dtype::int32:
      return store(address, to_int32(value));
    case Dtype::int64:
      return store(address, value.to_int());
    case Dtype::float16:
      return store(address, float_to_half(static_cast<float>(value.to_double())));
    case Dtype::bfloat16:
      return store(address, float_to_bfloat(static_cast<float>(value.to_double())));
    case Dtype::float32:
      return store(address, static_cast<float>(value.to_double()));
    default:
      return store(address, value.to_double());
  }
}

}  // namespace rondo
