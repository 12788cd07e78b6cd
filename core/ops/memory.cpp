#include "core/ops/memory.h"

#include "core/base/error.h"
#include "core/op/executor.h"
#include "core/tensor/copy.h"

namespace rondo::detail {

Tensor dense(const Tensor& tensor) {
  if (tensor.is_immediate()) {
    const Tensor result = Tensor::empty(tensor.shape(), tensor.dtype());
    write_element(result.storage()->raw_data(), result.dtype(), tensor.item());
    return result;
  }
  if (tensor.is_contiguous()) {
    return tensor;
  }
  const Tensor result = Tensor::empty(tensor.shape(), tensor.dtype());
  copy_elements(result, tensor);
  return result;
}

Tensor permuted(const Tensor& tensor, std::span<const int> order) {
  Shape shape;
  Shape strides;
  for (const int axis : order) {
    shape.push_back(tensor.shape()[axis]);
    strides.push_back(tensor.strides()[axis]);
  }
  return Tensor::view_of(tensor.storage(), shape, strides, tensor.offset(), tensor.dtype());
}

AxisSplit split_axis(const Shape& shape, int axis) {
  AxisSplit split;
  for (int i = 0; i < shape.rank(); ++i) {
    (i < axis ? split.outer : (i == axis ? split.size : split.inner)) *= shape[i];
  }
  return split;
}

std::vector<std::int64_t> read_indices(const Tensor& index, const IndexRange& range) {
  const Tensor source = dense(index);
  const std::int64_t low = range.wraps ? -range.size : 0;
  std::vector<std::int64_t> places(static_cast<std::size_t>(source.numel()));
  const auto* narrow = source.dtype() == Dtype::int32 ? elements<std::int32_t>(source) : nullptr;
  const auto* wide = narrow == nullptr ? elements<std::int64_t>(source) : nullptr;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::int64_t value = narrow != nullptr ? narrow[i] : wide[i];
    if (value < low || value >= range.size) [[unlikely]] {
      fail<IndexError>("{}: {} {} is out of range for axis {} of size {}; expected {} to {}",
                       range.op, range.what, value, range.axis, range.size, low, range.size - 1);
    }
    places[i] = value < 0 ? value + range.size : value;
  }
  return places;
}

void check_index_dtype(const OpInfo& op, std::string_view name, const Tensor& index) {
  const Dtype dtype = index.dtype();
  check<DtypeError>(dtype == Dtype::int64 || dtype == Dtype::int32,
                    "{}: {} is {}; expected int32 or int64", op.name, name, dtype_name(dtype));
}

void note_host_read(const Tensor& tensor) {
  if (current_observer() != nullptr) {
    current_observer()->host_read(tensor);
  }
}

}  // namespace rondo::detail
