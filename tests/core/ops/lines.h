// A tensor as lines along some axes, for references that are written on lists of numbers.
#pragma once

#include <algorithm>

#include "core/ops/reshape.h"
#include "tests/support/check_op.h"
#include "tests/support/tensors.h"

namespace rondo::test {

/// For each place in the other axes, in row-major order: the elements over `axes`, in row-major
/// order.
inline std::vector<Values> lines(const Tensor& tensor, const std::vector<int>& axes) {
  Ints order;
  for (int i = 0; i < tensor.rank(); ++i) {
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) {
      order.push_back(i);
    }
  }
  order.insert(order.end(), axes.begin(), axes.end());
  std::size_t length = 1;
  for (const int axis : axes) {
    length *= static_cast<std::size_t>(tensor.shape()[axis]);
  }
  const Values all = values(permute(tensor, order));
  std::vector<Values> result;
  for (std::size_t i = 0; i < all.size(); i += length) {
    result.emplace_back(all.begin() + static_cast<std::ptrdiff_t>(i),
                        all.begin() + static_cast<std::ptrdiff_t>(i + length));
  }
  return result;
}

/// The numbers of lines along the last axis, one line after the other.
inline Values joined(const std::vector<Values>& list) {
  Values result;
  for (const Values& line : list) {
    result.insert(result.end(), line.begin(), line.end());
  }
  return result;
}

}  // namespace rondo::test
