#include "core/tensor/copy.h"

#include <cstring>

#include "core/base/thread_pool.h"

namespace rondo {
namespace {

constexpr std::int64_t kGrainBytes = std::int64_t{1} << 17;

/// The axes of a copy without those of size 1, neighbours merged where both sides allow it.
struct Geometry {
  Shape shape;
  Shape to;
  Shape from;

  Geometry(const Tensor& target, const Tensor& source) {
    for (int i = 0; i < target.rank(); ++i) {
      const std::int64_t size = target.shape()[i];
      const int last = shape.rank() - 1;
      if (size == 1) {
        continue;
      }
      if (last >= 0 && to[last] == size * target.strides()[i] &&
          from[last] == size * source.strides()[i]) {
        shape[last] *= size;
        to[last] = target.strides()[i];
        from[last] = source.strides()[i];
      } else {
        shape.push_back(size);
        to.push_back(target.strides()[i]);
        from.push_back(source.strides()[i]);
      }
    }
    if (shape.rank() == 0) {
      shape.push_back(1);
      to.push_back(1);
      from.push_back(1);
    }
  }
};

/// Copies elements of the width of T, the last axis in a loop of its own.
template <class T>
void walk(const Geometry& g, int axis, T* target, const T* source) {
  const std::int64_t n = g.shape[axis];
  const std::int64_t to = g.to[axis];
  const std::int64_t from = g.from[axis];
  if (axis < g.shape.rank() - 1) {
    for (std::int64_t i = 0; i < n; ++i) {
      walk(g, axis + 1, target + i * to, source + i * from);
    }
  } else if (to == 1 && from == 1) {
    std::memcpy(target, source, static_cast<std::size_t>(n) * sizeof(T));
  } else {
    for (std::int64_t i = 0; i < n; ++i) {
      target[i * to] = source[i * from];
    }
  }
}

/// Copies in parallel parts of the first axis.
template <class T>
void copy_parts(const Geometry& g, T* target, const T* source) {
  const std::int64_t n = g.shape[0];
  const std::int64_t row = g.shape.numel() / n * static_cast<std::int64_t>(sizeof(T));
  const std::int64_t grain = row >= kGrainBytes ? 1 : kGrainBytes / row;
  parallel_for(n, grain, [&](std::int64_t begin, std::int64_t end) {
    Geometry part = g;
    part.shape[0] = end - begin;
    walk(part, 0, target + begin * g.to[0], source + begin * g.from[0]);
  });
}

}  // namespace

void copy_elements(const Tensor& target, const Tensor& source) {
  if (target.numel() == 0) {
    return;
  }
  const Geometry g(target, source);
  switch (dtype_bits(target.dtype())) {
    case 8:
      return copy_parts(g, target.data_as<std::uint8_t>(), source.data_as<std::uint8_t>());
    case 16:
      return copy_parts(g, target.data_as<std::uint16_t>(), source.data_as<std::uint16_t>());
    case 32:
      return copy_parts(g, target.data_as<std::uint32_t>(), source.data_as<std::uint32_t>());
    default:
      return copy_parts(g, target.data_as<std::uint64_t>(), source.data_as<std::uint64_t>());
  }
}

Tensor contiguous_copy(const Tensor& tensor) {
  if (tensor.is_contiguous()) {
    return tensor;
  }
  const Tensor copy = Tensor::empty(tensor.shape(), tensor.dtype());
  copy_elements(copy, tensor);
  return copy;
}

}  // namespace rondo
