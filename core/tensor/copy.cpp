#include "core/tensor/copy.h"

#include <cstring>

namespace rondo {
namespace {

struct Walk {
  const Shape& shape;
  const Shape& to;
  const Shape& from;
  std::int64_t element;

  void run(int axis, std::byte* target, const std::byte* source) const {
    if (axis == shape.rank()) {
      std::memcpy(target, source, static_cast<std::size_t>(element));
      return;
    }
    const std::int64_t n = shape[axis];
    if (axis == shape.rank() - 1 && to[axis] == 1 && from[axis] == 1) {
      std::memcpy(target, source, static_cast<std::size_t>(n * element));
      return;
    }
    for (std::int64_t i = 0; i < n; ++i) {
      run(axis + 1, target + i * to[axis] * element, source + i * from[axis] * element);
    }
  }
};

}  // namespace

void copy_elements(const Tensor& target, const Tensor& source) {
  const std::int64_t element = size_bytes(target.dtype(), 1);
  if (target.numel() == 0) {
    return;
  }
  if (target.is_contiguous() && source.is_contiguous()) {
    std::memcpy(target.data(), source.data(), static_cast<std::size_t>(target.numel() * element));
    return;
  }
  Walk{target.shape(), target.strides(), source.strides(), element}.run(0, target.data(),
                                                                        source.data());
}

}  // namespace rondo
