// The tiles, panels and masks of x86-64-v4 on machines that have only v3.
#include <gtest/gtest.h>

#include <vector>

#include "codegen/product/kernels.h"
#include "tests/codegen/product/operand.h"
#include "tests/support/canonical.h"
#include "tests/support/same_bits.h"

namespace rondo::codegen {

namespace v4_emulated {
const ProductKernels& product_kernels(Dtype dtype);
}  // namespace v4_emulated

namespace {

constexpr Index kPadding = 3;

template <class E>
void check_shape(Dtype dtype, Index m, Index n, Index k, Layout layout_a, Layout layout_b) {
  const Operand<E> a(1, m, k, layout_a, 1);
  const Operand<E> b(1, k, n, layout_b, 2);
  std::vector<E> c(static_cast<std::size_t>(m * (n + kPadding)), E{77});
  ProductRegion r;
  r.m = m;
  r.n = n;
  r.k_end = k;
  r.a = a.operand().data;
  r.a_row_stride = a.operand().row_stride;
  r.a_col_stride = a.operand().col_stride;
  r.b = b.operand().data;
  r.b_row_stride = b.operand().row_stride;
  r.b_col_stride = b.operand().col_stride;
  r.c = c.data();
  r.c_row_stride = n + kPadding;
  const ProductKernels& kernels = v4_emulated::product_kernels(dtype);
  n == 1 ? kernels.dots(r) : kernels.region(r);
  const auto values = canonical::product<E>(
      m, n, k, [&](Index i, Index p) { return a.at(i, p); },
      [&](Index p, Index j) { return b.at(p, j); });
  std::vector<E> expected(c.size(), E{77});
  for (Index i = 0; i < m * n; ++i) {
    expected[static_cast<std::size_t>(i / n * (n + kPadding) + i % n)] =
        values[static_cast<std::size_t>(i)];
  }
  EXPECT_EQ(count_different(c, expected), 0U) << m << " x " << k << " x " << n;
}

TEST(EmulatedProduct, HasTheCanonicalBitsForEverySmallShape) {
  for (Index m = 1; m <= 27; ++m) {
    for (Index n = 1; n <= 67; n += n < 35 ? 1 : 4) {
      const Index k = 1 + (m * 7 + n * 3) % 19;
      check_shape<float>(Dtype::float32, m, n, k, Layout::row_major, Layout::row_major);
      check_shape<double>(Dtype::float64, m, n, k, Layout::row_major, Layout::row_major);
    }
  }
}

TEST(EmulatedProduct, HasTheCanonicalBitsForEveryLayoutAndDepth) {
  for (const auto& [m, n, k] : {std::array<Index, 3>{1, 133, 1000},
                                {2, 70, 385},
                                {4, 64, 767},
                                {7, 1, 3000},
                                {13, 40, 383},
                                {25, 17, 769},
                                {130, 70, 400},
                                {29, 300, 45},
                                {300, 33, 40}}) {
    for (const Layout layout_a : kLayouts) {
      for (const Layout layout_b : kLayouts) {
        check_shape<float>(Dtype::float32, m, n, k, layout_a, layout_b);
        check_shape<double>(Dtype::float64, m, n, k, layout_a, layout_b);
      }
    }
  }
}

}  // namespace
}  // namespace rondo::codegen
