// The convolution kernels, compiled once per vector level.
#include "codegen/product/convolution_kernels.h"

#include "codegen/product/planes.h"
#include "codegen/product/window_gradient.h"
#include "codegen/product/windows.h"

namespace rondo::codegen::RONDO_ISA {
namespace {

template <class E>
void finish(const ProductRegion& region, void* sums) {
  finish_tile<E>(region, 0, region.m, 0, region.n, static_cast<Compute<E>*>(sums), region.n);
}

template <class E>
constexpr ConvolutionKernels kKernels{fill_planes<E>,         pack_weights<E>,   run_windows<E>,
                                      run_window_gradient<E>, store_gradient<E>, finish<E>};

}  // namespace

const ConvolutionKernels& convolution_kernels(Dtype dtype) {
  return with_element_type(dtype,
                           []<class E>() -> const ConvolutionKernels& { return kKernels<E>; });
}

}  // namespace rondo::codegen::RONDO_ISA
