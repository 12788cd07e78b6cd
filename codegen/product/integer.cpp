// Integer products: plain loops, sums that wrap.
#include <algorithm>
#include <type_traits>
#include <vector>

#include "codegen/product/kernels.h"
#include "core/base/error.h"

namespace rondo::codegen {
namespace {

// Sums modulo 2^64 or 2^32 agree with sums in the type itself, and unsigned ones may wrap.
template <class E>
using Sum = std::conditional_t<sizeof(E) == 8, std::uint64_t, std::uint32_t>;

template <class E>
void finish(const ProductRegion& r, std::int64_t row, std::vector<E>& values) {
  if (r.epilogue != nullptr) {
    ProductTile tile = r.first;
    tile.row += row;
    tile.rows = 1;
    tile.cols = r.n;
    tile.data = values.data();
    tile.row_stride = r.n;
    r.epilogue->run(r.epilogue->context, tile);
  }
  if (r.c != nullptr) {
    E* to = static_cast<E*>(r.c) + row * r.c_row_stride;
    for (std::int64_t j = 0; j < r.n; ++j) {
      to[j] = values[static_cast<std::size_t>(j)];
    }
  }
}

template <class E>
void run(const ProductRegion& r) {
  std::vector<Sum<E>> sums(static_cast<std::size_t>(r.n));
  std::vector<E> values(static_cast<std::size_t>(r.n));
  for (std::int64_t i = 0; i < r.m; ++i) {
    std::fill(sums.begin(), sums.end(), Sum<E>{0});
    for (std::int64_t p = 0; p < r.k_end; ++p) {
      const E* a = static_cast<const E*>(r.a) + i * r.a_row_stride + p * r.a_col_stride;
      const E* b = static_cast<const E*>(r.b) + p * r.b_row_stride;
      const auto factor = static_cast<Sum<E>>(*a);
      for (std::int64_t j = 0; j < r.n; ++j) {
        Sum<E>& sum = sums[static_cast<std::size_t>(j)];
        sum = static_cast<Sum<E>>(sum + factor * static_cast<Sum<E>>(b[j * r.b_col_stride]));
      }
    }
    for (std::size_t j = 0; j < values.size(); ++j) {
      values[j] = static_cast<E>(sums[j]);
    }
    finish(r, i, values);
  }
}

}  // namespace

void integer_region(Dtype dtype, const ProductRegion& region) {
  invariant(region.k_begin == 0 && region.sums == nullptr,
            "an integer product is asked for a part of its sums");
  switch (dtype) {
    case Dtype::uint8:
      return run<std::uint8_t>(region);
    case Dtype::int8:
      return run<std::int8_t>(region);
    case Dtype::int16:
      return run<std::int16_t>(region);
    case Dtype::int32:
      return run<std::int32_t>(region);
    case Dtype::int64:
      return run<std::int64_t>(region);
    default:
      invariant(false, "an integer product of a dtype that is not an integer");
  }
}

}  // namespace rondo::codegen
