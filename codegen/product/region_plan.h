// How a region is computed: what is packed, and how much is worked on at once. Speed only: the plan
// has no part in the result.
#pragma once

#include "codegen/product/element.h"
#include "codegen/product/kernels.h"
#include "codegen/product/micro_kernel.h"
#include "codegen/product/row_blocks.h"

namespace rondo::codegen::RONDO_ISA {

/// Elements between packed panels of b.
inline constexpr Index kPanelGap = 16;

struct RegionPlan {
  Index rows = 0;   // rows at once: their packed part of a stays in the second-level cache
  Index cols = 0;   // columns at once
  Index chunk = 0;  // steps of k at once; less than a block if chains are kept in memory between
  Index panel = 0;  // columns of one call of the kernel
  bool pack_a = false;
  bool whole_a = false;  // a is packed once, for all of k
  bool pack_b = false;
  bool scratch = false;  // sums are kept apart from c
  // Elements of the workspace.
  Index packed_a = 0;
  Index packed_b = 0;
  Index chains = 0;
  Index chain_stride = 0;
  Index workspace = 0;
};

/// Few rows: b is read about once, so it is streamed through chains that are kept in memory, in an
/// order that memory likes.
template <class T>
void plan_few_rows(const ProductRegion& r, RegionPlan& plan) {
  using Kernels = MicroKernels<T>;
  constexpr Index kResident = 1 << 17;    // elements of a that are packed whole
  constexpr Index kChainBytes = 1 << 16;  // of chains, in the second-level cache
  constexpr Index kWholeRows = 1 << 12;   // columns of b that are read in one go
  constexpr Index kManyColumns = 1 << 7;  // for which packing a pays
  const Index depth = r.k_end - r.k_begin;
  if ((plan.pack_a || r.n >= kManyColumns) && r.m * depth <= kResident) {
    plan.pack_a = true;
    plan.whole_a = true;
  }
  const bool wide = r.m <= Kernels::kWideRows;
  plan.panel = Kernels::kWidth * (wide ? Kernels::kWideVectors : Kernels::kVectors);
  if (plan.pack_a && !plan.whole_a) {
    return;  // a would be packed again for each chunk
  }
  if (!plan.pack_b) {
    // What lies a page apart must find room in a cache of eight ways.
    constexpr Index kPage = 4096 / sizeof(T);
    plan.chunk = r.b_row_stride % kPage == 0 ? 8 : 16;
    plan.cols = kChainBytes / (r.m * static_cast<Index>(sizeof(T))) / plan.panel * plan.panel;
  } else {
    plan.chunk = 64;
    plan.cols = r.b_row_stride == 1 ? plan.panel : kWholeRows;
  }
}

template <class E>
RegionPlan plan_region(const ProductRegion& r) {
  using T = Compute<E>;
  using Kernels = MicroKernels<T>;
  constexpr Index kRowsAtOnce = 20 * Kernels::kRows;
  constexpr Index kColsAtOnce = 128 * Kernels::kWidth;
  constexpr Index kSmallB = 1 << 15;  // elements that are read in place, being in cache anyway
  constexpr Index kLargeB = 1 << 21;  // elements that come from memory
  constexpr Index kFewRows = 32;      // that memory, and not arithmetic, has to keep up with
  constexpr bool kWidens = sizeof(E) != sizeof(T);
  RegionPlan plan;
  plan.pack_a = kWidens || (r.a_col_stride != 1 && r.a_row_stride != 1);
  plan.pack_b = kWidens || r.b_col_stride != 1;
  plan.scratch = r.sums == nullptr && (kWidens || r.c == nullptr);
  plan.rows = divide_up(r.m, divide_up(r.m, kRowsAtOnce));
  plan.cols = kColsAtOnce;
  plan.chunk = kProductBlock;
  plan.panel = Kernels::kVectors * Kernels::kWidth;
  const Index depth = r.k_end - r.k_begin;
  if (plan.pack_b || depth * r.b_row_stride > kSmallB) {
    if (r.m <= 2 * Kernels::kRows) {
      plan_few_rows<T>(r, plan);
    } else {
      plan.pack_a = plan.pack_a || r.n > 256;
      plan.pack_b = true;
      if (r.m <= kFewRows && depth * r.n >= kLargeB && r.b_row_stride != 1) {
        plan_few_rows<T>(r, plan);
      }
    }
  }
  plan.cols = least(plan.cols, round_up(r.n, plan.panel));
  plan.chunk = least(plan.chunk, depth > 0 ? depth : 1);
  constexpr Index kSlack = 16;
  const Index block = least(kProductBlock, depth);
  plan.packed_a = plan.whole_a ? r.m * depth : plan.pack_a ? plan.rows * block : 0;
  plan.packed_a += plan.packed_a > 0 ? kSlack : 0;
  plan.packed_b = plan.pack_b ? plan.cols / plan.panel * (plan.panel * plan.chunk + kPanelGap) : 0;
  // Rows of chains a power of two apart would fall into the same few places of the cache.
  plan.chain_stride = plan.cols + kSlack;
  plan.chains = plan.chunk < block ? r.m * plan.chain_stride : 0;
  plan.workspace =
      plan.packed_a + plan.packed_b + plan.chains + (plan.scratch ? r.m * plan.cols : 0);
  return plan;
}

}  // namespace rondo::codegen::RONDO_ISA
