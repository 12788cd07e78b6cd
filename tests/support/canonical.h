// One naive function per order of docs/numerics.md: what every kernel is compared with, bit for
// bit.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace rondo::canonical {

/// The canonical sum of `count` terms: add(i, lane) gives the lane after term i. 16 lanes, lane
/// i % 16 takes term i; blocks of 1024 terms begin at zero; a block's lanes are added as a tree,
/// the blocks' sums in order.
template <class T, class Add>
T lane_sum(std::int64_t count, Add add) {
  constexpr std::int64_t kLanes = 16;
  constexpr std::int64_t kBlock = 64 * kLanes;
  T total = 0;
  for (std::int64_t begin = 0; begin < count; begin += kBlock) {
    std::array<T, kLanes> lanes{};
    for (std::int64_t i = begin; i < std::min(count, begin + kBlock); ++i) {
      T& lane = lanes[static_cast<std::size_t>(i % kLanes)];
      lane = add(i, lane);
    }
    for (std::size_t half = kLanes / 2; half > 0; half /= 2) {
      for (std::size_t i = 0; i < half; ++i) {
        lanes[i] = static_cast<T>(lanes[i] + lanes[i + half]);
      }
    }
    total = begin == 0 ? lanes[0] : static_cast<T>(total + lanes[0]);
  }
  return total;
}

/// Section "Sums": the sum of term(i) for i in 0..count-1.
template <class T, class Term>
T sum(std::int64_t count, Term term) {
  return lane_sum<T>(count, [&](std::int64_t i, T lane) { return static_cast<T>(lane + term(i)); });
}

/// Section "Products", n = 1: the sum of a(p) * b(p).
template <class T, class A, class B>
T dot(std::int64_t count, A a, B b) {
  return lane_sum<T>(count, [&](std::int64_t p, T lane) { return std::fma(a(p), b(p), lane); });
}

/// Section "Products", n > 1: one element, a chain of fma over blocks of 384.
template <class T, class A, class B>
T chain(std::int64_t k, A a, B b) {
  constexpr std::int64_t kBlock = 384;
  T total = 0;
  for (std::int64_t begin = 0; begin < k; begin += kBlock) {
    T block = 0;
    for (std::int64_t p = begin; p < std::min(k, begin + kBlock); ++p) {
      block = std::fma(a(p), b(p), block);
    }
    total = begin == 0 ? block : static_cast<T>(total + block);
  }
  return total;
}

/// The whole matrix, row-major: a(i, p) and b(p, j) give the operands in the compute type.
template <class T, class A, class B>
std::vector<T> product(std::int64_t m, std::int64_t n, std::int64_t k, A a, B b) {
  std::vector<T> c(static_cast<std::size_t>(m * n));
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      const auto left = [&](std::int64_t p) { return a(i, p); };
      const auto right = [&](std::int64_t p) { return b(p, j); };
      c[static_cast<std::size_t>(i * n + j)] =
          n == 1 ? dot<T>(k, left, right) : chain<T>(k, left, right);
    }
  }
  return c;
}

}  // namespace rondo::canonical
