// Products and convolutions in the pool: parts of one result in several threads, and several
// callers at once.
#include <gtest/gtest.h>

#include <atomic>
#include <vector>

#include "codegen/product/convolution.h"
#include "codegen/product/product.h"
#include "tests/codegen/product/convolution_case.h"
#include "tests/support/canonical.h"
#include "tests/support/on_threads.h"
#include "tests/support/same_bits.h"
#include "tests/support/settings.h"

namespace rondo::codegen {
namespace {

struct Case {
  Index m;
  Index n;
  Index k;

  std::vector<float> run(const Operand<float>& a, const Operand<float>& b) const {
    std::vector<float> c(static_cast<std::size_t>(m * n));
    Product p;
    p.m = m;
    p.n = n;
    p.k = k;
    p.a = a.operand();
    p.b = b.operand();
    p.c = c.data();
    p.c_row_stride = n;
    run_product(p);
    return c;
  }
  std::vector<float> expected(const Operand<float>& a, const Operand<float>& b) const {
    return canonical::product<float>(
        m, n, k, [&](Index i, Index q) { return a.at(i, q); },
        [&](Index q, Index j) { return b.at(q, j); });
  }
};

TEST(ProductThreads, ShareRowsColumnsAndBlocksOfOneProduct) {
  const ThreadsSetting setting(3);
  for (const Case& s :
       {Case{200, 70, 100}, Case{8, 700, 200}, Case{20, 16, 4000}, Case{2000, 1, 600}}) {
    const Operand<float> a(1, s.m, s.k, Layout::row_major, 1);
    const Operand<float> b(1, s.k, s.n, Layout::column_major, 2);
    EXPECT_EQ(count_different(s.run(a, b), s.expected(a, b)), 0U) << s.m << " x " << s.n;
  }
}

TEST(ProductThreads, ServeSeveralCallersAtOnce) {
  const ThreadsSetting setting(2);
  const Case s{100, 96, 128};
  const Operand<float> a(1, s.m, s.k, Layout::row_major, 1);
  const Operand<float> b(1, s.k, s.n, Layout::row_major, 2);
  const auto expected = s.expected(a, b);
  std::atomic<int> wrong{0};
  on_threads(3, [&](int) {
    for (int round = 0; round < 5; ++round) {
      wrong += count_different(s.run(a, b), expected) == 0U ? 0 : 1;
    }
  });
  EXPECT_EQ(wrong, 0);
}

TEST(ProductThreads, ShareImagesLinesAndBlocksOfConvolutions) {
  const ThreadsSetting setting(3);
  for (const Convolution& c : {make_convolution(4, 1, 4, 30, 14, 14, 3, 3, 1, 1, 1),
                               make_convolution(1, 1, 8, 30, 20, 20, 3, 3, 2, 1, 1)}) {
    const ConvolutionOperands<float> o(c);
    std::vector<float> forward(o.gradient.values.size());
    run_convolution(c, o.input.values.data(), o.weight.values.data(), forward.data());
    EXPECT_EQ(count_different(forward, canonical::convolution<float>(c, o.input, o.weight)), 0U);
    std::vector<float> input(o.input.values.size());
    run_convolution_input_gradient(c, o.gradient.values.data(), o.weight.values.data(),
                                   input.data());
    EXPECT_EQ(count_different(
                  input, canonical::convolution_input_gradient<float>(c, o.gradient, o.weight)),
              0U);
    std::vector<float> weight(o.weight.values.size());
    run_convolution_weight_gradient(c, o.input.values.data(), o.gradient.values.data(),
                                    weight.data());
    EXPECT_EQ(count_different(
                  weight, canonical::convolution_weight_gradient<float>(c, o.input, o.gradient)),
              0U);
  }
}

}  // namespace
}  // namespace rondo::codegen
