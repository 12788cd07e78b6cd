// How a region is computed: what is packed, and how much is worked on at once. Speed only: the plan
// has no part in the result.
#pragma once

#include "codegen/product/element.h"
#include "codegen/product/kernels.h"
#include "codegen/product/micro_kernel.h"
#include "codegen/product/row_blocks.h"

namespace rondo::codegen::RONDO_ISA {

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
  Index workspace = 0;
};

/// Few rows: b is read once, so it is streamed and not packed ahead.
template <class T>
void plan_few_rows(const ProductRegion& r, bool along_k, RegionPlan& plan) {
  using Kernels = MicroKernels<T>;
  constexpr Index kResident = 1 << 17;  // elements of a that are packed whole
  constexpr Index kChainBytes = 65536;
  constexpr Index kPackRows = 400;
  const bool wide = r.m <= Kernels::kWideRows;
  plan.panel = Kernels::kWidth * (wide ? Kernels::kWideVectors : Kernels::kVectors);
  if (plan.pack_b) {
    plan.cols = plan.panel;
    plan.chunk = along_k ? 64 : kProductBlock;
  } else {
    const Index bytes = r.m * static_cast<Index>(sizeof(T));
    plan.cols = kChainBytes / bytes / plan.panel * plan.panel;
    plan.chunk = 8;
    plan.pack_b = r.m > kPackRows;
  }
  const Index depth = r.k_end - r.k_begin;
  if (plan.pack_a || r.n >= 128) {
    plan.pack_a = true;
    plan.whole_a = r.m * depth <= kResident;
  }
  if (plan.pack_a && !plan.whole_a) {
    plan.cols = 64 * Kernels::kWidth;
    plan.chunk = kProductBlock;
  }
}

template <class E>
RegionPlan plan_region(const ProductRegion& r) {
  using T = Compute<E>;
  using Kernels = MicroKernels<T>;
  constexpr Index kRowsAtOnce = 20 * Kernels::kRows;
  constexpr Index kColsAtOnce = 128 * Kernels::kWidth;
  constexpr Index kSmallB = 1 << 15;  // elements that are read in place, being in cache anyway
  constexpr bool kWidens = sizeof(E) != sizeof(T);
  RegionPlan plan;
  const bool a_in_place =
      !kWidens && r.pack_a.pack == nullptr && (r.a_col_stride == 1 || r.a_row_stride == 1);
  const bool b_in_place = !kWidens && r.pack_b.pack == nullptr && r.b_col_stride == 1;
  plan.pack_a = !a_in_place;
  plan.pack_b = !b_in_place;
  plan.scratch = r.sums == nullptr && (kWidens || r.c == nullptr);
  plan.rows = divide_up(r.m, divide_up(r.m, kRowsAtOnce));
  plan.cols = kColsAtOnce;
  plan.chunk = kProductBlock;
  plan.panel = Kernels::kVectors * Kernels::kWidth;
  const Index depth = r.k_end - r.k_begin;
  const bool small_b = b_in_place && depth * r.b_row_stride <= kSmallB;
  if (small_b || r.m <= Kernels::kRows) {
    if (!small_b) {
      plan_few_rows<T>(r, r.b_row_stride == 1, plan);
    }
  } else if (r.m <= 2 * Kernels::kRows) {
    plan_few_rows<T>(r, r.b_row_stride == 1, plan);
  } else {
    plan.pack_a = plan.pack_a || r.n > 256;
    plan.pack_b = true;
  }
  plan.cols = least(plan.cols, round_up(r.n, plan.panel));
  plan.chunk = least(plan.chunk, depth > 0 ? depth : 1);
  constexpr Index kSlack = 16;
  const Index block = least(kProductBlock, depth);
  plan.packed_a = plan.whole_a ? r.m * depth : plan.pack_a ? plan.rows * block : 0;
  plan.packed_a += plan.packed_a > 0 ? kSlack : 0;
  plan.packed_b = plan.pack_b ? plan.cols * plan.chunk + kSlack : 0;
  plan.chains = plan.chunk < block ? r.m * plan.cols : 0;
  plan.workspace =
      plan.packed_a + plan.packed_b + plan.chains + (plan.scratch ? r.m * plan.cols : 0);
  return plan;
}

}  // namespace rondo::codegen::RONDO_ISA
