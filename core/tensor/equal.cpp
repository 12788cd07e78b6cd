#include "core/tensor/equal.h"

#include <cmath>
#include <cstring>

#include "core/tensor/copy.h"

namespace rondo {

bool same_bits(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) {
    return false;
  }
  const Tensor x = contiguous_copy(a);
  const Tensor y = contiguous_copy(b);
  const Dtype dtype = x.dtype();
  const std::int64_t width = size_bytes(dtype, 1);
  const auto is_nan = [dtype](const std::byte* element) {
    return is_floating(dtype) && std::isnan(read_element(element, dtype).to_double());
  };
  const std::byte* p = x.data();
  const std::byte* q = y.data();
  for (std::int64_t i = 0; i < x.numel(); ++i, p += width, q += width) {
    const bool equal = std::memcmp(p, q, static_cast<std::size_t>(width)) == 0;
    if (!equal && !(is_nan(p) && is_nan(q))) {
      return false;
    }
  }
  return true;
}

}  // namespace rondo
