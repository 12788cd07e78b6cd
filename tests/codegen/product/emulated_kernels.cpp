// The product's kernels with the tiles of x86-64-v4 and the instructions of v3.
#include "codegen/product/float_kernels.cpp"
#include "codegen/product/micro_kernel.cpp"
