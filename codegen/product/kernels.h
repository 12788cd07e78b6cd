// What the kernels compiled for each vector level offer to the rest of the product.
#pragma once

#include <cstdint>

#include "codegen/product/product.h"

namespace rondo::codegen {

/// A part of a product that one thread computes: m x n elements over k_begin..k_end. Pointers are
/// those of the part, in elements of the dtype; k_begin is a multiple of kProductBlock.
struct ProductRegion {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k_begin = 0;
  std::int64_t k_end = 0;
  const void* a = nullptr;
  std::int64_t a_row_stride = 0;
  std::int64_t a_col_stride = 0;
  const void* b = nullptr;
  std::int64_t b_row_stride = 0;
  std::int64_t b_col_stride = 0;
  /// Where results go, in elements of the dtype; null if the epilogue stores them.
  void* c = nullptr;
  std::int64_t c_row_stride = 0;
  /// If set, sums in the compute dtype go here, and there is neither c nor epilogue.
  void* sums = nullptr;
  std::int64_t sums_row_stride = 0;
  /// Null if there is none; `first` is the region's place in the result.
  const Epilogue* epilogue = nullptr;
  ProductTile first;
};

/// The kernels of one element type.
struct ProductKernels {
  void (*region)(const ProductRegion&);
  /// n = 1: the canonical sum of products, for each row.
  void (*dots)(const ProductRegion&);
  /// Adds `blocks` matrices of sums (m x n each, in the compute dtype, one after the other) in
  /// order and finishes the region with them.
  void (*combine)(const ProductRegion&, void* sums, std::int64_t blocks);
};

namespace v3 {
const ProductKernels& product_kernels(Dtype dtype);
}  // namespace v3
namespace v4 {
const ProductKernels& product_kernels(Dtype dtype);
}  // namespace v4

/// Integer products over all of k; strides in elements. Sums wrap.
void integer_region(Dtype dtype, const ProductRegion& region);

/// `data` moved on by so many elements of the dtype; null stays null.
inline const void* advance(const void* data, Dtype dtype, std::int64_t elements) {
  return static_cast<const char*>(data) + size_bytes(dtype, elements);
}
inline void* advance(void* data, Dtype dtype, std::int64_t elements) {
  return data == nullptr ? nullptr : static_cast<char*>(data) + size_bytes(dtype, elements);
}

/// What the memory of product_workspace is for; each is apart from the others.
enum class Workspace { kernel, task, call };
inline constexpr int kWorkspaces = 3;

/// Memory of the calling thread, aligned to 64 bytes, valid until its next call for the same use.
/// Errors: OutOfMemoryError
void* product_workspace(std::int64_t size_bytes, Workspace use = Workspace::kernel);

}  // namespace rondo::codegen
