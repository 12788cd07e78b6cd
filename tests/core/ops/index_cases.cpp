// Cases: indexing by data.
#include "tests/core/ops/cases.h"
#include "tests/core/ops/lines.h"

namespace rondo::test {
namespace {

using Lists = std::vector<Values>;

OpCase fixed(const char* op, const char* label, std::function<Args()> args,
             const Values& expected) {
  OpCase c{.op = op, .label = label, .args = std::move(args)};
  c.reference = [expected](const Args&) { return Lists{expected}; };
  c.integers = true;
  return c;
}

/// Powers of two tell which elements were added.
Tensor powers(const Shape& shape) {
  Values list;
  for (std::int64_t i = 0; i < shape.numel(); ++i) {
    list.push_back(static_cast<double>(std::int64_t{1} << i));
  }
  return numbers(shape, list);
}

Tensor matrix() {
  return numbers({3, 2}, {10, 11, 20, 21, 30, 31});
}

std::vector<OpCase> elements() {
  const auto index = [] { return integers({2, 2}, {2, 0, 2, 1}); };
  const auto column = [] { return integers({2, 1}, {1, 0}); };
  return {
      fixed("gather", "", [=] { return Args{matrix(), 0, index()}; }, {30, 11, 30, 21}),
      fixed("gather", "narrow",
            [] { return Args{matrix(), 1, integers({2, 3}, {1, 1, 0, 0, 1, 0})}; },
            {11, 11, 10, 20, 21, 20}),
      fixed("gather_backward", "", [=] { return Args{powers({2, 2}), 0, index(), Ints{3, 2}}; },
            {0, 2, 0, 8, 5, 0}),
      fixed("gather_backward", "larger",
            [=] { return Args{powers({3, 2}), 1, column(), Ints{3, 2}}; }, {0, 1, 4, 0, 0, 0}),
      fixed("scatter", "tensor", [=] { return Args{matrix(), 0, index(), powers({2, 2})}; },
            {10, 2, 20, 8, 4, 31}),
      fixed("scatter", "number", [=] { return Args{matrix(), 0, index(), 7}; },
            {10, 7, 20, 7, 7, 31}),
      fixed("scatter", "narrow",
            [] { return Args{matrix(), 1, integers({2, 1}, {1, 0}), powers({2, 1})}; },
            {10, 1, 2, 21, 30, 31}),
      fixed("scatter", "larger", [=] { return Args{matrix(), 1, column(), powers({3, 2})}; },
            {10, 1, 4, 21, 30, 31}),
      fixed("scatter_add", "larger", [=] { return Args{matrix(), 1, column(), powers({3, 2})}; },
            {10, 12, 24, 21, 30, 31}),
      fixed("scatter_add", "", [=] { return Args{matrix(), 0, index(), powers({2, 2})}; },
            {10, 13, 20, 29, 35, 31}),
      fixed("take_along_dim", "", [] { return Args{matrix(), integers({1, 2}, {2, 0}), 0}; },
            {30, 11}),
      fixed("take_along_dim", "flat", [] { return Args{matrix(), integers({2}, {5, 0})}; },
            {31, 10})};
}

std::vector<OpCase> rows() {
  const auto index = [] { return integers({3}, {2, 0, 2}); };
  return {fixed("index_select", "rows", [=] { return Args{matrix(), 0, index()}; },
                {30, 31, 10, 11, 30, 31}),
          fixed("index_select", "columns", [] { return Args{matrix(), 1, integers({1}, {1})}; },
                {11, 21, 31}),
          fixed("index_add", "", [=] { return Args{matrix(), 0, index(), powers({3, 2})}; },
                {14, 19, 20, 21, 47, 65}),
          fixed("embedding", "", [] { return Args{integers({2, 1}, {1, 2}), matrix()}; },
                {20, 21, 30, 31}),
          {.op = "embedding",
           .label = "padded",
           .args = [] { return Args{integers({3}, {1, 2, 1}), matrix(), 2}; },
           .first = false},
          fixed("embedding_backward", "", [=] { return Args{powers({3, 2}), index(), Ints{3, 2}}; },
                {4, 8, 0, 0, 17, 34}),
          fixed("embedding_backward", "padded",
                [=] { return Args{powers({3, 2}), index(), Ints{3, 2}, -1}; }, {4, 8, 0, 0, 0, 0})};
}

Tensor cube() {
  Values list;
  for (int i = 0; i < 24; ++i) {
    list.push_back(i);
  }
  return numbers({2, 3, 4}, list);
}

using Tensors = std::vector<Tensor>;

std::vector<OpCase> advanced() {
  const auto pairs = [] { return Tensors{integers({2}, {1, -1}), integers({2}, {0, 2})}; };
  const auto apart = [] { return Tensors{integers({2}, {1, 0}), Tensor(), integers({2}, {3, 0})}; };
  const auto middle = [] { return Tensors{Tensor(), integers({2, 1}, {2, 0})}; };
  const auto mask = [] { return Tensors{Tensor(), Tensor(), bools({4}, {1, 0, 0, 1})}; };
  return {
      fixed("index", "pairs", [=] { return Args{cube(), pairs()}; },
            {12, 13, 14, 15, 20, 21, 22, 23}),
      fixed("index", "apart", [=] { return Args{cube(), apart()}; }, {15, 19, 23, 0, 4, 8}),
      fixed("index", "middle", [=] { return Args{cube(), middle()}; },
            {8, 9, 10, 11, 0, 1, 2, 3, 20, 21, 22, 23, 12, 13, 14, 15}),
      fixed("index", "mask", [=] { return Args{cube(), mask()}; },
            {0, 3, 4, 7, 8, 11, 12, 15, 16, 19, 20, 23}),
      fixed("index_take", "", [=] { return Args{cube(), apart()}; }, {15, 19, 23, 0, 4, 8}),
      fixed("index_put", "values",
            [] {
              return Args{matrix(), powers({3}), false,
                          Tensors{integers({3}, {1, -1, 1}), integers({3}, {0, 1, 0})}};
            },
            {10, 11, 4, 21, 30, 2}),
      fixed("index_put", "added",
            [=] { return Args{matrix(), powers({3, 1}), true, Tensors{integers({3}, {0, 2, 0})}}; },
            {15, 16, 20, 21, 32, 33}),
      fixed("index_put", "masked",
            [] { return Args{matrix(), 7, false, Tensors{bools({3}, {1, 0, 1})}}; },
            {7, 7, 20, 21, 7, 7}),
      fixed("index_put", "columns",
            [] {
              return Args{matrix(), powers({3, 1}), false, Tensors{Tensor(), bools({2}, {0, 1})}};
            },
            {10, 1, 20, 2, 30, 4}),
      fixed("index_replace", "apart",
            [=] {
              return Args{numbers({2, 1, 2}, {1, 2, 3, 4}), powers({2, 1}), true,
                          Tensors{integers({2}, {1, 1}), Tensor(), integers({2}, {0, 0})}};
            },
            {1, 2, 6, 4}),
      fixed("masked_select", "", [] { return Args{matrix(), bools({3, 1}, {1, 0, 1})}; },
            {10, 11, 30, 31}),
      fixed("nonzero", "", [] { return Args{numbers({2, 2}, {0, 1, 2, 0})}; }, {0, 1, 1, 0}),
      fixed("one_hot", "", [] { return Args{integers({2}, {2, 0}), 3}; }, {0, 0, 1, 1, 0, 0}),
      fixed("one_hot", "counted", [] { return Args{integers({2}, {1, 0})}; }, {0, 1, 1, 0})};
}

}  // namespace

std::vector<OpCase> index_cases() {
  std::vector<OpCase> all;
  for (const auto& family : {elements(), rows(), advanced()}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  return all;
}

}  // namespace rondo::test
