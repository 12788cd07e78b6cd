// The tensor: a typed, strided view of a storage, held by a handle.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/base/ref.h"
#include "core/tensor/device.h"
#include "core/tensor/dtype.h"
#include "core/tensor/scalar.h"
#include "core/tensor/shape.h"
#include "core/tensor/storage.h"

namespace rondo {

/// What autograd keeps with a tensor; defined in core/autograd.
class AutogradMeta : public Pooled {
 public:
  virtual ~AutogradMeta() = default;
};

/// What a binding keeps with a tensor: its own object for it.
using BindingObject = void;

struct TensorImpl : public RefCounted {
  Ref<Storage> storage;  // null for an immediate
  Shape shape;
  Shape strides;  // in elements
  std::int64_t offset = 0;
  Dtype dtype = Dtype::float32;
  bool weak = false;           // a Python number: it gives way in promotion
  bool requires_grad = false;  // a leaf that asked for it, or a result of one that did
  Scalar immediate;            // the value, when there is no storage
  std::unique_ptr<AutogradMeta> autograd;
  BindingObject* binding = nullptr;
};

class Tensor {
 public:
  /// An undefined tensor.
  Tensor() = default;
  explicit Tensor(Ref<TensorImpl> impl) : impl_(std::move(impl)) {}

  /// Uninitialised, contiguous.
  static Tensor empty(const Shape& shape, Dtype dtype, Device device = {});
  /// A view of `storage`. No check of bounds: for those who computed the geometry.
  static Tensor view_of(const Ref<Storage>& storage, const Shape& shape, const Shape& strides,
                        std::int64_t offset, Dtype dtype);
  /// A number of rank 0 without a storage. `weak`: it gives way in promotion, as Python numbers do.
  static Tensor immediate(const Scalar& value, Dtype dtype, bool weak);
  static Tensor number(const Scalar& value) { return immediate(value, value.kind(), true); }

  bool defined() const { return static_cast<bool>(impl_); }
  const Shape& shape() const { return impl_->shape; }
  const Shape& strides() const { return impl_->strides; }
  std::int64_t offset() const { return impl_->offset; }
  int rank() const { return impl_->shape.rank(); }
  std::int64_t size(std::int64_t axis) const;
  std::int64_t numel() const { return impl_->shape.numel(); }
  Dtype dtype() const { return impl_->dtype; }
  Device device() const { return impl_->storage ? impl_->storage->device() : Device{}; }
  bool is_immediate() const { return !impl_->storage; }
  bool is_weak() const { return impl_->weak; }
  bool is_contiguous() const { return rondo::is_contiguous(impl_->shape, impl_->strides); }
  bool requires_grad() const { return impl_->requires_grad; }

  /// The first element's address; runs queued work first. Errors: InternalError for an immediate.
  std::byte* data() const;
  template <class T>
  T* data_as() const {
    return reinterpret_cast<T*>(data());
  }

  const Ref<Storage>& storage() const { return impl_->storage; }
  TensorImpl* impl() const { return impl_.get(); }
  const Ref<TensorImpl>& ref() const { return impl_; }
  bool is_same(const Tensor& other) const { return impl_ == other.impl_; }

  /// The only element, on the host. Errors: ArgumentError unless there is exactly one.
  Scalar item() const;

 private:
  Ref<TensorImpl> impl_;
};

/// The element at `address` as a number.
Scalar read_element(const std::byte* address, Dtype dtype);
/// Writes `value` converted to `dtype`.
void write_element(std::byte* address, Dtype dtype, const Scalar& value);

/// The bits of a float as float16 or bfloat16 (nearest even), and back.
std::uint16_t float_to_half(float value);
float half_to_float(std::uint16_t bits);
std::uint16_t float_to_bfloat(float value);
float bfloat_to_float(std::uint16_t bits);

}  // namespace rondo
