// Sizes and strides of tensors: a short list of integers held in place.
#pragma once

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace rondo {

/// The largest rank of a tensor.
inline constexpr int kMaxRank = 8;

/// At most kMaxRank integers: a shape, or strides in elements.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<std::int64_t> sizes)
      : Shape(std::span(sizes.begin(), sizes.size())) {}
  /// Errors: UnsupportedError above kMaxRank.
  explicit Shape(std::span<const std::int64_t> sizes);
  static Shape filled(int rank, std::int64_t value);

  int rank() const { return rank_; }
  std::int64_t operator[](int i) const { return sizes_[i]; }
  std::int64_t& operator[](int i) { return sizes_[i]; }
  std::int64_t back() const { return sizes_[rank_ - 1]; }
  std::span<const std::int64_t> span() const { return {sizes_, static_cast<std::size_t>(rank_)}; }
  const std::int64_t* begin() const { return sizes_; }
  const std::int64_t* end() const { return sizes_ + rank_; }

  void push_back(std::int64_t size);
  void insert(int position, std::int64_t size);
  void erase(int position);

  /// The product of all sizes; 1 for rank 0.
  std::int64_t numel() const {
    std::int64_t n = 1;
    for (int i = 0; i < rank_; ++i) {
      n *= sizes_[i];
    }
    return n;
  }

  bool operator==(const Shape& other) const {
    return rank_ == other.rank_ && std::equal(begin(), end(), other.begin());
  }

  /// "[2, 3]"
  std::string str() const;

 private:
  std::int64_t sizes_[kMaxRank];
  int rank_ = 0;
};

/// Row-major strides, in elements.
Shape contiguous_strides(const Shape& shape);

/// True if `strides` are row-major for `shape`, where axes of size 1 and empty tensors have any
/// stride.
bool is_contiguous(const Shape& shape, const Shape& strides);

/// The shape that both broadcast to. Errors: ShapeError, in the words of `op`.
Shape broadcast_shapes(const Shape& a, const Shape& b, std::string_view op);

/// `axis` made non-negative. Errors: IndexError if it is not in [-rank, rank); a rank of 0 counts
/// as 1.
int normalize_axis(std::int64_t axis, int rank, std::string_view op);

/// Bytes and counts are products of sizes: ShapeError if they would not fit in 63 bits.
std::int64_t checked_numel(const Shape& shape, std::string_view op);

}  // namespace rondo

template <>
struct fmt::formatter<rondo::Shape> : fmt::formatter<fmt::string_view> {
  fmt::format_context::iterator format(const rondo::Shape& shape,
                                       fmt::format_context& context) const;
};
