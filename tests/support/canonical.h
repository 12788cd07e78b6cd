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

/// The sizes of a convolution, with the fields of codegen::Convolution.
template <class C>
std::int64_t channels_in(const C& c) {
  return c.in_channels / c.groups;
}
template <class C>
std::int64_t channels_out(const C& c) {
  return c.out_channels / c.groups;
}

/// Section "Convolutions", forward: x(image, channel, row, col) and w(out, in of the group, u, v).
/// Row-major [batch, out_channels, out_rows, out_cols].
template <class T, class C, class X, class W>
std::vector<T> convolution(const C& c, X x, W w) {
  std::vector<T> result;
  const std::int64_t taps = c.kernel_rows * c.kernel_cols;
  for (std::int64_t at = 0; at < c.batch * c.out_channels * c.out_rows * c.out_cols; ++at) {
    const std::int64_t col = at % c.out_cols;
    const std::int64_t row = at / c.out_cols % c.out_rows;
    const std::int64_t out = at / c.out_cols / c.out_rows % c.out_channels;
    const std::int64_t image = at / c.out_cols / c.out_rows / c.out_channels;
    const std::int64_t first = out / channels_out(c) * channels_in(c);
    const auto weight = [&](std::int64_t k) {
      return w(out, k / taps, k % taps / c.kernel_cols, k % c.kernel_cols);
    };
    const auto value = [&](std::int64_t k) {
      const std::int64_t r =
          row * c.stride_rows + k % taps / c.kernel_cols * c.dilation_rows - c.padding_rows;
      const std::int64_t s =
          col * c.stride_cols + k % c.kernel_cols * c.dilation_cols - c.padding_cols;
      const bool inside = r >= 0 && r < c.in_rows && s >= 0 && s < c.in_cols;
      return inside ? x(image, first + k / taps, r, s) : T{0};
    };
    result.push_back(chain<T>(channels_in(c) * taps, weight, value));
  }
  return result;
}

/// Section "Convolutions", gradient of the input: g(image, out, row, col). Row-major
/// [batch, in_channels, in_rows, in_cols].
template <class T, class C, class G, class W>
std::vector<T> convolution_input_gradient(const C& c, const G& g, const W& w) {
  std::vector<T> result;
  for (std::int64_t at = 0; at < c.batch * c.in_channels * c.in_rows * c.in_cols; ++at) {
    const std::int64_t col = at % c.in_cols;
    const std::int64_t row = at / c.in_cols % c.in_rows;
    const std::int64_t in = at / c.in_cols / c.in_rows % c.in_channels;
    const std::int64_t image = at / c.in_cols / c.in_rows / c.in_channels;
    const std::int64_t first = in / channels_in(c) * channels_out(c);
    std::vector<T> weights;
    std::vector<T> values;
    for (std::int64_t out = first; out < first + channels_out(c); ++out) {
      for (std::int64_t u = 0; u < c.kernel_rows; ++u) {
        for (std::int64_t v = 0; v < c.kernel_cols; ++v) {
          const std::int64_t r = row + c.padding_rows - u * c.dilation_rows;
          const std::int64_t s = col + c.padding_cols - v * c.dilation_cols;
          if (r % c.stride_rows != 0 || s % c.stride_cols != 0) {
            continue;  // no step at all
          }
          const bool inside =
              r >= 0 && r / c.stride_rows < c.out_rows && s >= 0 && s / c.stride_cols < c.out_cols;
          weights.push_back(w(out, in % channels_in(c), u, v));
          values.push_back(inside ? g(image, out, r / c.stride_rows, s / c.stride_cols) : T{0});
        }
      }
    }
    const auto weight = [&](std::int64_t k) { return weights[static_cast<std::size_t>(k)]; };
    const auto value = [&](std::int64_t k) { return values[static_cast<std::size_t>(k)]; };
    result.push_back(chain<T>(static_cast<std::int64_t>(weights.size()), weight, value));
  }
  return result;
}

/// Section "Convolutions", gradient of the weights. Row-major [out_channels, in_channels / groups,
/// kernel_rows, kernel_cols].
template <class T, class C, class X, class G>
std::vector<T> convolution_weight_gradient(const C& c, X x, G g) {
  std::vector<T> result;
  const std::int64_t taps = c.kernel_rows * c.kernel_cols;
  for (std::int64_t at = 0; at < c.out_channels * channels_in(c) * taps; ++at) {
    const std::int64_t v = at % c.kernel_cols;
    const std::int64_t u = at / c.kernel_cols % c.kernel_rows;
    const std::int64_t out = at / taps / channels_in(c);
    const std::int64_t in = out / channels_out(c) * channels_in(c) + at / taps % channels_in(c);
    const std::int64_t positions = c.out_rows * c.out_cols;
    const auto value = [&](std::int64_t k) {
      const std::int64_t r =
          k % positions / c.out_cols * c.stride_rows + u * c.dilation_rows - c.padding_rows;
      const std::int64_t s = k % c.out_cols * c.stride_cols + v * c.dilation_cols - c.padding_cols;
      const bool inside = r >= 0 && r < c.in_rows && s >= 0 && s < c.in_cols;
      return inside ? x(k / positions, in, r, s) : T{0};
    };
    const auto gradient = [&](std::int64_t k) {
      return g(k / positions, out, k % positions / c.out_cols, k % c.out_cols);
    };
    result.push_back(chain<T>(c.batch * positions, value, gradient));
  }
  return result;
}

}  // namespace rondo::canonical
