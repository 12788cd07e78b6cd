// Runs a plan of windows over all images and groups, in the threads of the pool.
#pragma once

#include "codegen/product/convolution_plan.h"

namespace rondo::codegen {

/// result[image][group][row] = the product of the group's weights with the image's windows.
void run_window_plan(const WindowPlan& plan, Dtype dtype, std::int64_t images, std::int64_t groups,
                     const void* source, const void* weights, void* result,
                     const Epilogue& epilogue);

/// The kernels of the vector level in use.
const ConvolutionKernels& convolution_kernels_for(Dtype dtype);

}  // namespace rondo::codegen
