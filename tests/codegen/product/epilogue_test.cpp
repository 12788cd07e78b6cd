#include <gtest/gtest.h>

#include <mutex>
#include <vector>

#include "codegen/product/product.h"
#include "tests/codegen/product/operand.h"
#include "tests/support/canonical.h"
#include "tests/support/same_bits.h"
#include "tests/support/settings.h"

namespace rondo::codegen {
namespace {

// What the epilogues of these tests are given, and what they note.
struct Context {
  std::vector<float> bias;            // one for each column
  mutable std::vector<int> visits;    // of each element, in any batch
  mutable std::vector<float> stored;  // for epilogues that store
  mutable std::mutex mutex;
  std::int64_t m = 0;
  std::int64_t n = 0;
};

template <class F>
void for_each_element(const Context& context, const ProductTile& tile, F f) {
  const std::lock_guard lock(context.mutex);
  for (Index i = 0; i < tile.rows; ++i) {
    for (Index j = 0; j < tile.cols; ++j) {
      const Index at = (tile.batch * context.m + tile.row + i) * context.n + tile.col + j;
      ++context.visits.at(static_cast<std::size_t>(at));
      f(static_cast<std::size_t>(at), tile.col + j,
        static_cast<float*>(tile.data)[i * tile.row_stride + j]);
    }
  }
}

void add_bias(const void* context, const ProductTile& tile) {
  const auto& c = *static_cast<const Context*>(context);
  for_each_element(c, tile, [&](std::size_t, Index col, float& value) {
    value += c.bias[static_cast<std::size_t>(col)];
  });
}

void store_doubled(const void* context, const ProductTile& tile) {
  const auto& c = *static_cast<const Context*>(context);
  for_each_element(c, tile,
                   [&](std::size_t at, Index, float& value) { c.stored.at(at) = 2 * value; });
}

struct Case {
  Index batches;
  Index m;
  Index n;
  Index k;
  Layout layout_b = Layout::column_major;
};
constexpr Case kCases[] = {{1, 4, 4, 4},     {1, 64, 100, 800},
                           {1, 7, 1500, 40}, {3, 20, 1, 1500},
                           {2, 70, 33, 20},  {1, 30, 20, 4000},
                           {1, 1, 70, 500},  {1, 5, 9, 0},
                           {2, 2, 40, 900},  {2, 9, 40, 30, Layout::row_major}};

struct Prepared {
  explicit Prepared(const Case& s)
      : a(s.batches, s.m, s.k + 1, Layout::row_major, 1),
        b(s.batches, s.k + 1, s.n, s.layout_b, 2) {
    const auto size = static_cast<std::size_t>(s.batches * s.m * s.n);
    context.bias.resize(static_cast<std::size_t>(s.n));
    for (std::size_t j = 0; j < context.bias.size(); ++j) {
      context.bias[j] = static_cast<float>(j) + 0.3F;
    }
    context.visits.resize(size);
    context.stored.resize(size);
    context.m = s.m;
    context.n = s.n;
    product.m = s.m;
    product.n = s.n;
    product.k = s.k;
    product.a = a.operand();
    product.b = b.operand();
    product.batch_sizes = {1, 1, 1, s.batches};
    product.c_row_stride = s.n;
    product.c_batch_strides = {0, 0, 0, s.m * s.n};
    product.epilogue.context = &context;
    for (Index batch = 0; batch < s.batches; ++batch) {
      const auto values = canonical::product<float>(
          s.m, s.n, s.k, [&](Index i, Index p) { return a.at(i, p, batch); },
          [&](Index p, Index j) { return b.at(p, j, batch); });
      sums.insert(sums.end(), values.begin(), values.end());
    }
  }

  Operand<float> a;
  Operand<float> b;
  Context context;
  Product product;
  std::vector<float> sums;
};

TEST(ProductEpilogue, SeesEachElementOnceAndChangesItInPlace) {
  for (const int threads : {1, 2}) {
    const ThreadsSetting setting(threads);
    for (const Case& s : kCases) {
      Prepared prepared(s);
      std::vector<float> c(prepared.sums.size());
      prepared.product.c = c.data();
      prepared.product.epilogue.run = add_bias;
      run_product(prepared.product);
      EXPECT_EQ(prepared.context.visits, std::vector<int>(c.size(), 1)) << s.m << " x " << s.n;
      std::vector<float> expected = prepared.sums;
      for (std::size_t i = 0; i < expected.size(); ++i) {
        expected[i] += prepared.context.bias[i % static_cast<std::size_t>(s.n)];
      }
      EXPECT_EQ(count_different(c, expected), 0U) << s.m << " x " << s.n;
    }
  }
}

TEST(ProductEpilogue, MayStoreTheResultItselfWithNoOtherPlaceForIt) {
  for (const int threads : {1, 2}) {
    const ThreadsSetting setting(threads);
    for (const Case& s : kCases) {
      Prepared prepared(s);
      prepared.product.epilogue.run = store_doubled;
      prepared.product.epilogue.stores = true;
      run_product(prepared.product);
      EXPECT_EQ(prepared.context.visits, std::vector<int>(prepared.sums.size(), 1));
      for (float& sum : prepared.sums) {
        sum *= 2;
      }
      EXPECT_EQ(count_different(prepared.context.stored, prepared.sums), 0U) << s.m << " x " << s.n;
    }
  }
}

}  // namespace
}  // namespace rondo::codegen
