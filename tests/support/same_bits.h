// Equality of results as Rondo means it: every bit, except that any NaN equals any NaN.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <vector>

namespace rondo {

template <class T>
bool same_bits(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b)) {
      return std::isnan(a) && std::isnan(b);
    }
  }
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// How many elements differ.
template <class T>
std::size_t count_different(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) {
    return a.size() + b.size();
  }
  std::size_t different = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    different += same_bits(a[i], b[i]) ? 0U : 1U;
  }
  return different;
}

}  // namespace rondo
