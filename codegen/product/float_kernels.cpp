// The float kernels, compiled once per vector level.
#include "codegen/product/dots.h"
#include "codegen/product/narrow.h"
#include "codegen/product/region.h"

namespace rondo::codegen::RONDO_ISA {
namespace {

template <class E>
void run_region(const ProductRegion& region) {
  if constexpr (sizeof(E) == sizeof(Compute<E>)) {
    if (run_narrow<E>(region) || run_small<E>(region)) {
      return;
    }
  }
  Region<E>(region).run();
}

template <class E>
void combine(const ProductRegion& r, void* all_sums, std::int64_t blocks) {
  auto* sums = static_cast<Compute<E>*>(all_sums);
  const Index size = r.m * r.n;
  for (Index block = 1; block < blocks; ++block) {
    for (Index i = 0; i < size; ++i) {
      sums[i] += sums[block * size + i];
    }
  }
  finish_tile<E>(r, 0, r.m, 0, r.n, sums, r.n);
}

template <class E>
constexpr ProductKernels kKernels{run_region<E>, run_dots<E>, combine<E>};

}  // namespace

const ProductKernels& product_kernels(Dtype dtype) {
  switch (dtype) {
    case Dtype::float16:
      return kKernels<Half>;
    case Dtype::bfloat16:
      return kKernels<Bfloat>;
    case Dtype::float64:
      return kKernels<double>;
    default:
      return kKernels<float>;
  }
}

}  // namespace rondo::codegen::RONDO_ISA
