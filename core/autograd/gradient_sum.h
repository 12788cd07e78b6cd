// The sum of the gradients that reach one tensor.
#pragma once

#include <vector>

#include "core/op/gradient.h"

namespace rondo {

/// Keeps gradients of ranges apart until the total is asked for: what was cut into slices is then
/// joined once, in time that is linear in the size of the tensor.
class GradientSum {
 public:
  void add(const Gradient& gradient);

  /// The sum, of a tensor as `meta` says; undefined if nothing was added. What was added is gone.
  Tensor take(const Meta& meta);

  /// Where what was added is; the host if nothing was.
  Device device() const;

 private:
  Tensor take_layer(const Meta& meta);

  Tensor whole_;
  std::vector<Gradient> ranges_;
};

}  // namespace rondo
