#include "core/tensor/shape.h"

#include <fmt/format.h>

#include "core/base/error.h"

namespace rondo {

Shape::Shape(std::span<const std::int64_t> sizes) : rank_(static_cast<int>(sizes.size())) {
  check<UnsupportedError>(sizes.size() <= kMaxRank, "tensor: rank {}; at most {} dimensions",
                          sizes.size(), kMaxRank);
  std::copy(sizes.begin(), sizes.end(), sizes_);
}

Shape Shape::filled(int rank, std::int64_t value) {
  Shape shape;
  shape.rank_ = rank;
  std::fill_n(shape.sizes_, rank, value);
  return shape;
}

void Shape::push_back(std::int64_t size) {
  insert(rank_, size);
}

void Shape::insert(int position, std::int64_t size) {
  check<UnsupportedError>(rank_ < kMaxRank, "tensor: rank {}; at most {} dimensions", rank_ + 1,
                          kMaxRank);
  std::copy_backward(sizes_ + position, sizes_ + rank_, sizes_ + rank_ + 1);
  sizes_[position] = size;
  ++rank_;
}

void Shape::erase(int position) {
  std::copy(sizes_ + position + 1, sizes_ + rank_, sizes_ + position);
  --rank_;
}

std::string Shape::str() const {
  return fmt::format("[{}]", fmt::join(span(), ", "));
}

Shape contiguous_strides(const Shape& shape) {
  Shape strides = shape;
  std::int64_t stride = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= std::max<std::int64_t>(shape[i], 1);
  }
  return strides;
}

bool is_contiguous(const Shape& shape, const Shape& strides) {
  std::int64_t expected = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    if (shape[i] == 0) {
      return true;
    }
    if (shape[i] != 1 && strides[i] != expected) {
      return false;
    }
    expected *= shape[i];
  }
  return true;
}

Shape broadcast_shapes(const Shape& a, const Shape& b, std::string_view op) {
  if (a == b) {
    return a;
  }
  const int rank = std::max(a.rank(), b.rank());
  Shape out = Shape::filled(rank, 1);
  for (int i = 0; i < rank; ++i) {
    const int ia = i - (rank - a.rank());
    const int ib = i - (rank - b.rank());
    const std::int64_t sa = ia < 0 ? 1 : a[ia];
    const std::int64_t sb = ib < 0 ? 1 : b[ib];
    check<ShapeError>(sa == sb || sa == 1 || sb == 1,
                      "{}: shapes do not broadcast: {} and {}; sizes must be equal or 1 at axis {}",
                      op, a, b, i);
    out[i] = sa == 1 ? sb : sa;
  }
  return out;
}

int normalize_axis(std::int64_t axis, int rank, std::string_view op) {
  const int bound = std::max(rank, 1);
  check<IndexError>(axis >= -bound && axis < bound,
                    "{}: axis out of range: {}; expected {} to {} for rank {}", op, axis, -bound,
                    bound - 1, rank);
  return static_cast<int>(axis < 0 ? axis + bound : axis);
}

std::int64_t checked_numel(const Shape& shape, std::string_view op) {
  std::int64_t n = 1;
  bool fits = true;
  bool empty = false;  // the other sizes must fit all the same: strides are made of them
  for (const std::int64_t size : shape) {
    check<ShapeError>(size >= 0, "{}: negative size: {}; sizes must be 0 or more", op, shape);
    empty = empty || size == 0;
    fits = fits && !__builtin_mul_overflow(n, std::max<std::int64_t>(size, 1), &n);
  }
  check<ShapeError>(fits && n < (std::int64_t{1} << 59),
                    "{}: too many elements: {}; the count must stay below 2^59", op, shape);
  return empty ? 0 : n;
}

}  // namespace rondo

fmt::format_context::iterator fmt::formatter<rondo::Shape>::format(
    const rondo::Shape& shape, fmt::format_context& context) const {
  return fmt::formatter<fmt::string_view>::format(shape.str(), context);
}
