#include "core/tensor/equal.h"

#include <cmath>
#include <cstring>

#include "core/tensor/copy.h"
#include "core/tensor/transfer.h"

namespace rondo {

bool same_element(const std::byte* a, const std::byte* b, Dtype dtype) {
  if (std::memcmp(a, b, static_cast<std::size_t>(size_bytes(dtype, 1))) == 0) {
    return true;
  }
  return is_floating(dtype) && std::isnan(read_element(a, dtype).to_double()) &&
         std::isnan(read_element(b, dtype).to_double());
}

bool same_bits(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) {
    return false;
  }
  const Tensor x = contiguous_copy(to_host(a));
  const Tensor y = contiguous_copy(to_host(b));
  const std::int64_t element = size_bytes(x.dtype(), 1);
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    if (!same_element(x.data() + i * element, y.data() + i * element, x.dtype())) {
      return false;
    }
  }
  return true;
}

}  // namespace rondo
