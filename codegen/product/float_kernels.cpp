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
  add_blocks(sums, blocks, r.m * r.n);
  finish_tile<E>(r, 0, r.m, 0, r.n, sums, r.n);
}

template <class E>
constexpr ProductKernels kKernels{run_region<E>, run_dots<E>, combine<E>};

}  // namespace

const ProductKernels& product_kernels(Dtype dtype) {
  return with_element_type(dtype, []<class E>() -> const ProductKernels& { return kKernels<E>; });
}

}  // namespace rondo::codegen::RONDO_ISA
