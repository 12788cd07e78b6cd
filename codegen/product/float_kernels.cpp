// The float kernels, compiled once per vector level.
#include "codegen/product/dots.h"
#include "codegen/product/region.h"

namespace rondo::codegen::RONDO_ISA {
namespace {

template <class E>
void run_region(const ProductRegion& region) {
  Region<E>(region).run();
}

template <class E>
constexpr ProductKernels kKernels{run_region<E>, run_dots<E>};

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
