#include "core/tensor/equal.h"

#include <cmath>
#include <cstring>

#include "core/tensor/copy.h"

namespace rondo {

bool same_bits(const Tensor& a, const Tensor& b) {
  if (a.shape() != b.shape() || a.dtype() != b.dtype()) {
    return false;
  }
  a.data();
  b.data();
  const Tensor x = contiguous_copy(a);
  const Tensor y = contiguous_copy(b);
  const std::int64_t element = size_bytes(x.dtype(), 1);
  for (std::int64_t i = 0; i < x.numel(); ++i) {
    const std::byte* p = x.data() + i * element;
    const std::byte* q = y.data() + i * element;
    const bool equal =
        std::memcmp(p, q, static_cast<std::size_t>(element)) == 0 ||
        (is_floating(x.dtype()) && std::isnan(read_element(p, x.dtype()).to_double()) &&
         std::isnan(read_element(q, x.dtype()).to_double()));
    if (!equal) {
      return false;
    }
  }
  return true;
}

}  // namespace rondo
