#include "core/ops/memory.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/op/executor.h"
#include "core/tensor/copy.h"
#include "core/tensor/transfer.h"

namespace rondo::detail {

Tensor stored(const Tensor& tensor) {
  if (!tensor.is_immediate()) {
    return tensor;
  }
  const Tensor result = Tensor::empty(tensor.shape(), tensor.dtype());
  write_element(result.storage()->raw_data(), result.dtype(), tensor.item());
  return result;
}

Tensor dense(const Tensor& tensor) {
  return contiguous_copy(to_host(stored(tensor)));
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

Places::Places(const Tensor& index, const IndexRange& range) : tensor_(dense(index)) {
  const std::int64_t low = range.wraps ? -range.size : 0;
  const auto count = static_cast<std::size_t>(tensor_.numel());
  const auto check_one = [&](std::int64_t value) {
    if (value < low || value >= range.size) [[unlikely]] {
      fail<IndexError>("{}: {} {} is out of range for axis {} of size {}; expected {} to {}",
                       range.op, range.what, value, range.axis, range.size, low, range.size - 1);
    }
  };
  const auto copy_from = [&](const auto* values) {
    owned_.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      check_one(values[i]);
      owned_[i] = values[i] < 0 ? values[i] + range.size : values[i];
    }
    view_ = owned_;
  };
  if (tensor_.dtype() == Dtype::int32) {
    copy_from(elements<std::int32_t>(tensor_));
    return;
  }
  view_ = {elements<std::int64_t>(tensor_), count};
  const bool fits = std::all_of(view_.begin(), view_.end(), [&](std::int64_t value) {
    return value >= 0 && value < range.size;
  });
  if (!fits) {
    copy_from(view_.data());
  }
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
