#include "core/autograd/gradient_sum.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "core/ops/arithmetic.h"
#include "core/ops/create.h"
#include "core/ops/join.h"

namespace rondo {
namespace {

std::int64_t end_of(const Gradient& range) {
  return range.begin + range.tensor.shape()[range.dim];
}

Tensor sum(const Tensor& a, const Tensor& b) {
  return a.defined() ? a + b : b;
}

/// One range with zeros around it.
Tensor padded(const Gradient& range, std::int64_t size) {
  const int behind = range.tensor.rank() - 1 - range.dim;  // axes that follow
  Ints amounts(static_cast<std::size_t>(behind) * 2, 0);
  amounts.push_back(range.begin);
  amounts.push_back(size - end_of(range));
  return pad(range.tensor, amounts);
}

/// Ranges of one axis in order, without overlaps, and zeros between them.
Tensor joined(const std::vector<Gradient>& ranges, const Meta& meta) {
  const int dim = ranges[0].dim;
  const std::int64_t size = meta.shape[dim];
  if (ranges.size() == 1) {
    return padded(ranges[0], size);
  }
  std::vector<Tensor> parts;
  std::int64_t at = 0;
  const auto fill_to = [&](std::int64_t begin) {
    if (begin > at) {
      Shape gap = meta.shape;
      gap[dim] = begin - at;
      parts.push_back(zeros(gap, meta.dtype));
    }
  };
  for (const Gradient& range : ranges) {
    fill_to(range.begin);
    parts.push_back(range.tensor);
    at = end_of(range);
  }
  fill_to(size);
  return cat(parts, dim);
}

}  // namespace

void GradientSum::add(const Gradient& gradient) {
  if (gradient.dim < 0) {
    whole_ = sum(whole_, gradient.tensor);
  } else {
    const auto before = [](const Gradient& a, const Gradient& b) {
      return std::tie(a.dim, a.begin) < std::tie(b.dim, b.begin);
    };
    ranges_.insert(std::upper_bound(ranges_.begin(), ranges_.end(), gradient, before), gradient);
  }
}

Tensor GradientSum::take(const Meta& meta) {
  while (!ranges_.empty()) {
    whole_ = sum(whole_, take_layer(meta));
  }
  return std::exchange(whole_, {});
}

Device GradientSum::device() const {
  if (whole_.defined()) {
    return whole_.device();
  }
  return ranges_.empty() ? Device{} : ranges_[0].tensor.device();
}

/// Takes the first range and all others of its axis that fit behind it; equal ranges are added.
Tensor GradientSum::take_layer(const Meta& meta) {
  std::vector<Gradient> layer;
  std::vector<Gradient> rest;
  for (Gradient& range : ranges_) {
    if (layer.empty() || (range.dim == layer[0].dim && range.begin >= end_of(layer.back()))) {
      layer.push_back(std::move(range));
      continue;
    }
    Gradient& last = layer.back();
    const bool same =
        range.dim == last.dim && range.begin == last.begin && end_of(range) == end_of(last);
    if (same) {
      last.tensor = last.tensor + range.tensor;
    } else {
      rest.push_back(std::move(range));
    }
  }
  ranges_ = std::move(rest);
  return joined(layer, meta);
}

}  // namespace rondo
