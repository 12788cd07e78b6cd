// What the ops that run as a function on memory share: dense operands, indices, element types.
#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "core/op/op_info.h"

namespace rondo::detail {

/// The tensor itself, or a number without storage as a tensor of its dtype.
Tensor stored(const Tensor& tensor);

/// The elements in row-major order and on the host: the tensor itself, or a copy of it.
Tensor dense(const Tensor& tensor);

/// A strided view with the axes in another order.
Tensor permuted(const Tensor& tensor, std::span<const int> order);

/// Elements before, along and after one axis. A tensor of rank 0 counts as one of size 1.
struct AxisSplit {
  std::int64_t outer = 1;
  std::int64_t size = 1;
  std::int64_t inner = 1;
};
AxisSplit split_axis(const Shape& shape, int axis);

/// Where an index was wrong, for the text of the error.
struct IndexRange {
  std::string_view op;
  std::string_view what = "index";
  int axis = 0;
  std::int64_t size = 0;
  bool wraps = false;  // -size to -1 count from the end
};

/// The elements of an integer tensor as places in [0, size): those of the tensor itself where it
/// holds them so.
class Places {
 public:
  /// Errors: IndexError that names the index, the axis and its size.
  Places(const Tensor& index, const IndexRange& range);
  explicit Places(std::vector<std::int64_t> list) : owned_(std::move(list)), view_(owned_) {}
  Places(const Places&) = delete;
  Places& operator=(const Places&) = delete;

  std::size_t size() const { return view_.size(); }
  std::int64_t operator[](std::int64_t i) const { return view_[static_cast<std::size_t>(i)]; }
  const std::int64_t* begin() const { return view_.data(); }
  const std::int64_t* end() const { return view_.data() + view_.size(); }

 private:
  Tensor tensor_;  // keeps what is viewed
  std::vector<std::int64_t> owned_;
  std::span<const std::int64_t> view_;
};

/// Errors: DtypeError unless `index` is int32 or int64.
void check_index_dtype(const OpInfo& op, std::string_view name, const Tensor& index);

/// A host read of data that decides about a shape: the observer (if any) hears of it.
void note_host_read(const Tensor& tensor);

/// Tells how an element type is stored and computed with: 16-bit floats in float, integers in
/// int64, bools as bytes.
template <class StorageType, class ComputeType>
struct PlainElement {
  using Storage = StorageType;
  using Compute = ComputeType;
  static Compute load(Storage value) { return static_cast<Compute>(value); }
  static Storage store(Compute value) { return static_cast<Storage>(value); }
};
struct BoolElement : PlainElement<std::uint8_t, std::int64_t> {
  static Storage store(Compute value) { return value != 0 ? 1 : 0; }
};
struct HalfElement : PlainElement<std::uint16_t, float> {
  static Compute load(Storage bits) { return half_to_float(bits); }
  static Storage store(Compute value) { return float_to_half(value); }
};
struct BfloatElement : PlainElement<std::uint16_t, float> {
  static Compute load(Storage bits) { return bfloat_to_float(bits); }
  static Storage store(Compute value) { return float_to_bfloat(value); }
};

/// Calls `body(Element{})` with the element type of `dtype`.
template <class Body>
void visit_element(Dtype dtype, const Body& body) {
  switch (dtype) {
    case Dtype::boolean:
      return body(BoolElement{});
    case Dtype::uint8:
      return body(PlainElement<std::uint8_t, std::int64_t>{});
    case Dtype::int8:
      return body(PlainElement<std::int8_t, std::int64_t>{});
    case Dtype::int16:
      return body(PlainElement<std::int16_t, std::int64_t>{});
    case Dtype::int32:
      return body(PlainElement<std::int32_t, std::int64_t>{});
    case Dtype::int64:
      return body(PlainElement<std::int64_t, std::int64_t>{});
    case Dtype::float16:
      return body(HalfElement{});
    case Dtype::bfloat16:
      return body(BfloatElement{});
    case Dtype::float32:
      return body(PlainElement<float, float>{});
    case Dtype::float64:
      return body(PlainElement<double, double>{});
  }
}

/// Likewise for the floating dtypes alone.
template <class Body>
void visit_floating(Dtype dtype, const Body& body) {
  switch (dtype) {
    case Dtype::float16:
      return body(HalfElement{});
    case Dtype::bfloat16:
      return body(BfloatElement{});
    case Dtype::float64:
      return body(PlainElement<double, double>{});
    default:
      return body(PlainElement<float, float>{});
  }
}

/// Calls `body(T{})` with an unsigned integer of the width of `dtype`: for ops that only move.
template <class Body>
void visit_width(Dtype dtype, const Body& body) {
  switch (dtype_bits(dtype)) {
    case 8:
      return body(std::uint8_t{});
    case 16:
      return body(std::uint16_t{});
    case 32:
      return body(std::uint32_t{});
    default:
      return body(std::uint64_t{});
  }
}

/// The address of an operand's or result's first element.
template <class T>
const T* elements(const Tensor& tensor) {
  return reinterpret_cast<const T*>(tensor.data());
}
template <class T>
T* raw_elements(const Tensor& output) {
  return reinterpret_cast<T*>(output.storage()->raw_data() +
                              size_bytes(output.dtype(), output.offset()));
}

/// How many elements a part of a parallel loop has at least.
inline constexpr std::int64_t kGrain = 16384;
/// The grain of a loop whose steps take `work` elements each.
inline std::int64_t grain_for(std::int64_t work) {
  return work >= kGrain ? 1 : kGrain / (work > 0 ? work : 1);
}

}  // namespace rondo::detail
