#include "codegen/product/product.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "tests/codegen/product/operand.h"
#include "tests/support/canonical.h"
#include "tests/support/check_error.h"
#include "tests/support/same_bits.h"
#include "tests/support/settings.h"

namespace rondo::codegen {
namespace {

template <class E>
constexpr Dtype kDtypeOf = std::is_same_v<E, float>          ? Dtype::float32
                           : std::is_same_v<E, double>       ? Dtype::float64
                           : std::is_same_v<E, std::int64_t> ? Dtype::int64
                           : std::is_same_v<E, std::int32_t> ? Dtype::int32
                           : std::is_same_v<E, std::int16_t> ? Dtype::int16
                           : std::is_same_v<E, std::int8_t>  ? Dtype::int8
                                                             : Dtype::uint8;

struct Shape {
  Index m;
  Index n;
  Index k;
  std::string text() const {
    return std::to_string(m) + " x " + std::to_string(k) + " x " + std::to_string(n);
  }
};

// Rows of c are padded, so that a store past the end of a row is seen.
constexpr Index kPadding = 3;

template <class E>
Product product_of(const Shape& s, const Operand<E>& a, const Operand<E>& b, std::vector<E>& c) {
  Product p;
  p.dtype = kDtypeOf<E>;
  p.m = s.m;
  p.n = s.n;
  p.k = s.k;
  p.a = a.operand();
  p.b = b.operand();
  p.c = c.data();
  p.c_row_stride = s.n + kPadding;
  return p;
}

template <class E>
std::vector<E> run(const Shape& s, const Operand<E>& a, const Operand<E>& b) {
  std::vector<E> c(static_cast<std::size_t>(s.m * (s.n + kPadding)), E{77});
  run_product(product_of(s, a, b, c));
  return c;
}

// The canonical result, padded like that of run().
template <class E>
std::vector<E> expected(const Shape& s, const Operand<E>& a, const Operand<E>& b) {
  const auto values = canonical::product<E>(
      s.m, s.n, s.k, [&](Index i, Index p) { return a.at(i, p); },
      [&](Index p, Index j) { return b.at(p, j); });
  std::vector<E> c(static_cast<std::size_t>(s.m * (s.n + kPadding)), E{77});
  for (Index i = 0; i < s.m; ++i) {
    for (Index j = 0; j < s.n; ++j) {
      c[static_cast<std::size_t>(i * (s.n + kPadding) + j)] =
          values[static_cast<std::size_t>(i * s.n + j)];
    }
  }
  return c;
}

template <class E>
void check_shape(const Shape& s, Layout layout_a, Layout layout_b) {
  const Operand<E> a(1, s.m, s.k, layout_a, 1);
  const Operand<E> b(1, s.k, s.n, layout_b, 2);
  EXPECT_EQ(count_different(run(s, a, b), expected(s, a, b)), 0U)
      << s.text() << ", layouts " << static_cast<int>(layout_a) << " and "
      << static_cast<int>(layout_b);
}

template <class E>
class FloatProduct : public testing::Test {};
using FloatTypes = testing::Types<float, double>;
TYPED_TEST_SUITE(FloatProduct, FloatTypes);

TYPED_TEST(FloatProduct, HasTheCanonicalBitsForEverySmallShape) {
  for (const Isa isa : available_isas()) {
    const IsaSetting setting(isa);
    for (Index m = 1; m <= 27; ++m) {
      for (Index n = 1; n <= 35; ++n) {
        check_shape<TypeParam>({m, n, 1 + (m * 7 + n * 3) % 19}, Layout::row_major,
                               Layout::row_major);
      }
    }
  }
}

TYPED_TEST(FloatProduct, HasTheCanonicalBitsForEveryLayoutAndDepth) {
  const Shape shapes[] = {{1, 33, 1000}, {2, 7, 385},   {3, 64, 767},  {5, 1, 384},    {7, 1, 3000},
                          {13, 40, 383}, {25, 17, 769}, {64, 64, 64},  {130, 70, 400}, {1, 1, 1025},
                          {33, 2, 1153}, {70, 300, 45}, {70, 1, 1030}, {100, 1, 7}};
  for (const Isa isa : available_isas()) {
    const IsaSetting setting(isa);
    for (const Shape& shape : shapes) {
      for (const Layout layout_a : kLayouts) {
        for (const Layout layout_b : kLayouts) {
          check_shape<TypeParam>(shape, layout_a, layout_b);
        }
      }
    }
  }
}

TYPED_TEST(FloatProduct, HasTheSameBitsForAnyThreads) {
  const Shape shapes[] = {{200, 300, 500}, {8, 1500, 800}, {1500, 8, 800}, {40, 30, 9000},
                          {1, 4000, 400},  {4000, 1, 400}, {300, 1, 5000}};
  for (const Shape& s : shapes) {
    const Operand<TypeParam> a(1, s.m, s.k, Layout::row_major, 1);
    const Operand<TypeParam> b(1, s.k, s.n, Layout::column_major, 2);
    const auto reference = expected(s, a, b);
    for (const int threads : {1, 2, 3}) {
      const ThreadsSetting setting(threads);
      EXPECT_EQ(count_different(run(s, a, b), reference), 0U) << s.text() << ", " << threads;
    }
  }
}

TYPED_TEST(FloatProduct, GivesARowTheSameBitsAloneAndAmongOthers) {
  for (const Index n : {1, 10, 300}) {
    const Shape s{150, n, 900};
    const Operand<TypeParam> a(1, s.m, s.k, Layout::row_major, 1);
    const Operand<TypeParam> b(1, s.k, s.n, Layout::row_major, 2);
    const auto all = run(s, a, b);
    for (const Index row : {Index{0}, Index{77}, Index{149}}) {
      std::vector<TypeParam> c(static_cast<std::size_t>(n + kPadding));
      Product alone = product_of({1, n, s.k}, a, b, c);
      alone.a.data = &a.at(row, 0);
      run_product(alone);
      for (Index j = 0; j < n; ++j) {
        EXPECT_TRUE(same_bits(c[static_cast<std::size_t>(j)],
                              all[static_cast<std::size_t>(row * (n + kPadding) + j)]))
            << "row " << row << ", column " << j;
      }
    }
  }
}

TYPED_TEST(FloatProduct, KeepsInfinitiesNansAndSignedZeros) {
  using T = TypeParam;
  const T inf = std::numeric_limits<T>::infinity();
  const T nan = std::numeric_limits<T>::quiet_NaN();
  const T tiny = std::numeric_limits<T>::min();
  for (const Index n : {1, 5, 21}) {
    const Shape s{9, n, 21};
    Operand<T> a(1, s.m, s.k, Layout::row_major, 1);
    Operand<T> b(1, s.k, s.n, Layout::row_major, 2);
    for (Index p = 0; p < s.k; ++p) {
      a.at(0, p) = T{-0.0};
      a.at(1, p) = -tiny;  // its products with tiny values round to -0
      a.at(2, p) = p == 20 ? inf : T{1};
      a.at(3, p) = p == 3 ? nan : T{1};
      a.at(4, p) = tiny / 8;
      b.at(p, 0) = p == 19 ? tiny : tiny / 4;
      b.at(p, n - 1) = p % 2 == 0 ? tiny : T{0};
    }
    EXPECT_EQ(count_different(run(s, a, b), expected(s, a, b)), 0U) << n;
  }
}

TYPED_TEST(FloatProduct, OfAnEmptySumIsZeroAndEmptyResultsAreLeftAlone) {
  const Shape s{3, 4, 0};
  const Operand<TypeParam> a(1, 3, 1, Layout::row_major, 1);
  const Operand<TypeParam> b(1, 1, 4, Layout::row_major, 2);
  EXPECT_EQ(count_different(run(s, a, b), expected(s, a, b)), 0U);
  const Shape column{3, 1, 0};
  EXPECT_EQ(count_different(run(column, a, b), expected(column, a, b)), 0U);
  EXPECT_TRUE(run({0, 4, 1}, a, b).empty());
}

TYPED_TEST(FloatProduct, RunsABatchOfMatricesWithAnyBatchStrides) {
  using T = TypeParam;
  const Shape s{5, 9, 40};
  for (const int threads : {1, 2}) {
    const ThreadsSetting setting(threads);
    const Operand<T> a(6, s.m, s.k, Layout::padded_rows, 1);
    const Operand<T> b(3, s.k, s.n, Layout::column_major, 2);
    const Index size = s.m * (s.n + kPadding);
    std::vector<T> c(static_cast<std::size_t>(6 * size), T{77});
    Product p = product_of(s, a, b, c);
    p.batch_sizes = {1, 1, 2, 3};
    const Index a_stride = a.operand().batch_strides[3];
    const Index b_stride = b.operand().batch_strides[3];
    p.a.batch_strides = {0, 0, 3 * a_stride, a_stride};
    p.b.batch_strides = {0, 0, 0, b_stride};  // shared by the outer dimension
    p.c_batch_strides = {0, 0, 3 * size, size};
    run_product(p);
    for (Index batch = 0; batch < 6; ++batch) {
      const auto values = canonical::product<T>(
          s.m, s.n, s.k, [&](Index i, Index q) { return a.at(i, q, batch); },
          [&](Index q, Index j) { return b.at(q, j, batch % 3); });
      for (Index i = 0; i < s.m * s.n; ++i) {
        EXPECT_TRUE(same_bits(
            c[static_cast<std::size_t>(batch * size + i / s.n * (s.n + kPadding) + i % s.n)],
            values[static_cast<std::size_t>(i)]));
      }
    }
  }
}

template <class E>
class IntegerProduct : public testing::Test {};
using IntegerTypes =
    testing::Types<std::uint8_t, std::int8_t, std::int16_t, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(IntegerProduct, IntegerTypes);

TYPED_TEST(IntegerProduct, WrapsInItsOwnWidth) {
  for (const Shape& s : {Shape{5, 7, 900}, Shape{3, 1, 50}, Shape{1, 20, 7}}) {
    const Operand<TypeParam> a(1, s.m, s.k, Layout::padded_rows, 1);
    const Operand<TypeParam> b(1, s.k, s.n, Layout::column_major, 2);
    const auto c = run(s, a, b);
    for (Index i = 0; i < s.m; ++i) {
      for (Index j = 0; j < s.n; ++j) {
        std::uint64_t sum = 0;
        for (Index p = 0; p < s.k; ++p) {
          sum += static_cast<std::uint64_t>(a.at(i, p)) * static_cast<std::uint64_t>(b.at(p, j));
        }
        EXPECT_EQ(c[static_cast<std::size_t>(i * (s.n + kPadding) + j)],
                  static_cast<TypeParam>(sum));
      }
    }
  }
}

TEST(Product, RejectsBooleans) {
  Product p;
  p.dtype = Dtype::boolean;
  check_error<DtypeError>([&] { run_product(p); },
                          "product: dtype is bool; expected a numeric dtype");
}

}  // namespace
}  // namespace rondo::codegen
