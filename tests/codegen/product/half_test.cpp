// Products of 16-bit floats: widened exactly, summed in float32, rounded once.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "codegen/product/product.h"
#include "tests/codegen/product/operand.h"
#include "tests/support/canonical.h"
#include "tests/support/settings.h"

namespace rondo::codegen {
namespace {

using Widen = float (*)(std::uint16_t);

// The value of the format nearest to `x`, found among its neighbours; ties go to even bits.
std::uint16_t nearest(float x, Widen widen) {
  std::uint16_t low = 0;  // of the magnitude: the largest value that is not above it
  std::uint16_t high = 0x7FFF;
  while (low + 1 < high) {
    const auto middle = static_cast<std::uint16_t>((low + high) / 2);
    (widen(middle) <= std::abs(x) ? low : high) = middle;
  }
  const std::uint16_t sign = std::signbit(x) ? 0x8000 : 0;
  const double below = std::abs(static_cast<double>(x)) - static_cast<double>(widen(low));
  const double above = static_cast<double>(widen(high)) - std::abs(static_cast<double>(x));
  const bool up = above < below || (above == below && low % 2 != 0);
  return static_cast<std::uint16_t>(sign | (up ? high : low));
}

void check_dtype(Dtype dtype, Widen widen, Index m, Index n, Index k, Layout layout_a,
                 Layout layout_b) {
  const Operand<std::uint16_t> a(1, m, k, layout_a, 1);
  const Operand<std::uint16_t> b(1, k, n, layout_b, 2);
  std::vector<std::uint16_t> c(static_cast<std::size_t>(m * (n + 1)), 0x1234);
  Product p;
  p.dtype = dtype;
  p.m = m;
  p.n = n;
  p.k = k;
  p.a = a.operand();
  p.b = b.operand();
  p.c = c.data();
  p.c_row_stride = n + 1;
  run_product(p);
  const auto sums = canonical::product<float>(
      m, n, k, [&](Index i, Index q) { return widen(a.at(i, q)); },
      [&](Index q, Index j) { return widen(b.at(q, j)); });
  std::vector<std::uint16_t> expected(c.size(), 0x1234);
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) {
      expected[static_cast<std::size_t>(i * (n + 1) + j)] =
          nearest(sums[static_cast<std::size_t>(i * n + j)], widen);
    }
  }
  EXPECT_EQ(c, expected) << m << " x " << k << " x " << n;
}

TEST(HalfProduct, IsTheFloatProductRoundedOnce) {
  for (const Isa isa : available_isas()) {
    const IsaSetting isa_setting(isa);
    for (const int threads : {1, 2}) {
      const ThreadsSetting setting(threads);
      for (const Layout layout : kLayouts) {
        for (const auto& [m, n, k] : {std::array<Index, 3>{1, 17, 400},
                                      {13, 35, 25},
                                      {3, 1, 1100},
                                      {1, 1, 5},
                                      {64, 70, 390},
                                      {20, 9, 3000}}) {
          check_dtype(Dtype::float16, half_to_float, m, n, k, layout, Layout::row_major);
          check_dtype(Dtype::bfloat16, bfloat_to_float, m, n, k, Layout::row_major, layout);
        }
      }
    }
  }
}

// 1 x 1 products with one: what comes in must come out.
template <class Check>
void for_each_bits(Dtype dtype, std::uint16_t one, Check check) {
  std::vector<std::uint16_t> values(0x10000);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<std::uint16_t>(i);
  }
  std::vector<std::uint16_t> c(values.size());
  Product p;
  p.dtype = dtype;
  p.m = 1;
  p.n = static_cast<Index>(values.size());
  p.k = 1;
  p.a = {&one, 1, 1, {}};
  p.b = {values.data(), p.n, 1, {}};
  p.c = c.data();
  p.c_row_stride = p.n;
  run_product(p);
  for (std::size_t i = 0; i < values.size(); ++i) {
    check(static_cast<std::uint16_t>(i), c[i]);
  }
}

TEST(HalfProduct, WidensAndRoundsEveryValueOfTheFormatsExactly) {
  // The chain begins at +0, so that -0 comes out as +0.
  for_each_bits(Dtype::float16, 0x3C00, [](std::uint16_t in, std::uint16_t out) {
    if (std::isnan(half_to_float(in))) {
      EXPECT_TRUE(std::isnan(half_to_float(out))) << in;
    } else {
      EXPECT_EQ(out, in == 0x8000 ? 0 : in);
    }
  });
  for_each_bits(Dtype::bfloat16, 0x3F80, [](std::uint16_t in, std::uint16_t out) {
    if (std::isnan(bfloat_to_float(in))) {
      EXPECT_TRUE(std::isnan(bfloat_to_float(out))) << in;
    } else {
      EXPECT_EQ(out, in == 0x8000 ? 0 : in);
    }
  });
}

}  // namespace
}  // namespace rondo::codegen
