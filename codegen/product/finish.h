// What becomes of a finished tile: the epilogue, and rounding to the dtype of the result.
#pragma once

#include "codegen/product/element.h"
#include "codegen/product/kernels.h"
#include "codegen/product/pack.h"

namespace rondo::codegen::RONDO_ISA {

/// Stores a row of sums in the dtype of the result.
template <class E, class T = Compute<E>>
void store_row(const T* sums, Index count, E* to) {
  if constexpr (sizeof(E) == sizeof(T)) {
    copy_row(sums, count, to);
  } else {
    round_row(sums, to, count);
  }
}

/// Adds `blocks` matrices of sums of `size` elements, one after the other, in order into the first.
template <class T>
void add_blocks(T* sums, Index blocks, Index size) {
  for (Index block = 1; block < blocks; ++block) {
    for (Index i = 0; i < size; ++i) {
      sums[i] += sums[block * size + i];
    }
  }
}

/// The region with a place for its sums: c, or memory of the thread if the epilogue stores results.
template <class T>
ProductRegion with_sums(const ProductRegion& r) {
  ProductRegion result = r;
  if (r.c == nullptr) {
    result.c = product_workspace(r.m * r.n * static_cast<Index>(sizeof(T)));
    result.c_row_stride = r.n;
  }
  return result;
}

/// Finishes rows x cols elements of the region at (row, col), whose sums are at `sums`.
template <class E, class T = Compute<E>>
void finish_tile(const ProductRegion& r, Index row, Index rows, Index col, Index cols, T* sums,
                 Index sums_stride) {
  if (r.sums != nullptr) {
    return;
  }
  if (r.epilogue != nullptr) {
    ProductTile tile = r.first;
    tile.row += row;
    tile.col += col;
    tile.rows = rows;
    tile.cols = cols;
    tile.data = sums;
    tile.row_stride = sums_stride;
    r.epilogue->run(r.epilogue->context, tile);
  }
  if (r.c == nullptr) {
    return;
  }
  E* c = static_cast<E*>(r.c) + row * r.c_row_stride + col;
  if (static_cast<void*>(c) == sums) {
    return;
  }
  for (Index i = 0; i < rows; ++i) {
    store_row(sums + i * sums_stride, cols, c + i * r.c_row_stride);
  }
}

}  // namespace rondo::codegen::RONDO_ISA
