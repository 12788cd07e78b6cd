#include "serialize/tensor_size.h"

namespace rondo::serialize {

std::optional<std::int64_t> tensor_size_bytes(Dtype dtype, std::span<const std::int64_t> shape) {
  std::int64_t bits = dtype_bits(dtype);
  bool fits = true;
  bool empty = false;
  for (const std::int64_t size : shape) {
    if (size < 0) {
      return std::nullopt;
    }
    empty = empty || size == 0;
    fits = fits && !__builtin_mul_overflow(bits, size, &bits);
  }
  if (empty) {
    return 0;
  }
  return fits ? std::optional(bits / 8 + (bits % 8 != 0 ? 1 : 0)) : std::nullopt;
}

}  // namespace rondo::serialize
