// Cases: views, their inverses, joining, padding, new tensors.
#include <cmath>

#include "tests/core/ops/cases.h"
#include "tests/core/ops/lines.h"

namespace rondo::test {
namespace {

/// An op that only moves the numbers 1 to 24 of a [2, 3, 4] tensor, with the expected results.
OpCase moving(const char* op, const char* label, const Args& rest, const Values& expected) {
  OpCase c{.op = op, .label = label};
  c.args = [rest] {
    Values list;
    for (int i = 0; i < 24; ++i) {
      list.push_back(i);
    }
    Args args{numbers({2, 3, 4}, list)};
    args.insert(args.end(), rest.begin(), rest.end());
    return args;
  };
  c.reference = [expected](const Args&) { return std::vector<Values>{expected}; };
  c.integers = true;
  return c;
}

Values counted(int begin, int end, int step = 1) {
  Values result;
  for (int i = begin; i < end; i += step) {
    result.push_back(i);
  }
  return result;
}

OpCase by_memory(OpCase c) {
  c.layouts = false;
  return c;
}

std::vector<OpCase> views() {
  const Values swapped{0, 12, 4, 16, 8,  20, 1, 13, 5, 17, 9,  21,
                       2, 14, 6, 18, 10, 22, 3, 15, 7, 19, 11, 23};
  return {moving("permute", "", {Ints{2, 1, 0}}, swapped),
          moving("transpose", "", {0, 2}, swapped),
          moving("reshape", "", {Ints{4, -1}}, counted(0, 24)),
          by_memory(moving("view", "", {Ints{4, -1}}, counted(0, 24))),
          moving("unsqueeze", "", {1}, counted(0, 24)),
          moving("squeeze", "", {}, counted(0, 24)),
          moving("slice", "columns", {2, 1, 4, 2}, {1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23}),
          moving("slice", "backwards", {1, std::nullopt, std::nullopt, -2},
                 {8, 9, 10, 11, 0, 1, 2, 3, 20, 21, 22, 23, 12, 13, 14, 15}),
          moving("select", "", {1, -1}, {8, 9, 10, 11, 20, 21, 22, 23}),
          by_memory(moving("as_strided", "", {Ints{2, 2}, Ints{3, 1}, 5}, {5, 6, 8, 9})),
          moving("diagonal", "", {1, 1, 2}, {1, 6, 11, 13, 18, 23}),
          {.op = "expand",
           .args = [] { return Args{uniform({3, 1}, -2, 2), Ints{2, -1, 2}}; },
           .reference =
               [](const Args& args) {
                 const Values x = values(tensor_arg(args, 0));
                 return std::vector<Values>{
                     {x[0], x[0], x[1], x[1], x[2], x[2], x[0], x[0], x[1], x[1], x[2], x[2]}};
               }}};
}

std::vector<OpCase> replacements() {
  return {
      {.op = "slice_scatter",
       .args =
           [] {
             return Args{
                 numbers({2, 3}, {1, 2, 3, 4, 5, 6}), numbers({2, 2}, {7, 8, 9, 10}), 1, 0, 3, 2};
           },
       .reference = [](const Args&) { return std::vector<Values>{{7, 2, 8, 9, 5, 10}}; }},
      {.op = "as_strided_scatter",
       .args =
           [] {
             return Args{numbers({2, 3}, {1, 2, 3, 4, 5, 6}), numbers({2}, {7, 8}), Ints{2},
                         Ints{4}, 1};
           },
       .reference = [](const Args&) { return std::vector<Values>{{1, 7, 3, 4, 5, 8}}; }}};
}

std::vector<OpCase> rearranging() {
  return {
      moving("flip", "", {Ints{0, 2}}, {15, 14, 13, 12, 19, 18, 17, 16, 23, 22, 21, 20,
                                        3,  2,  1,  0,  7,  6,  5,  4,  11, 10, 9,  8}),
      moving(
          "roll", "axes", {Ints{1, -1}, Ints{0, 2}},
          {13, 14, 15, 12, 17, 18, 19, 16, 21, 22, 23, 20, 1, 2, 3, 0, 5, 6, 7, 4, 9, 10, 11, 8}),
      moving("roll", "flat", {Ints{25}}, {23, 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                          11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22}),
      moving("tril", "", {1},
             {0, 1, 0, 0, 4, 5, 6, 0, 8, 9, 10, 11, 12, 13, 0, 0, 16, 17, 18, 0, 20, 21, 22, 23}),
      moving("triu", "", {1},
             {0, 1, 2, 3, 0, 0, 6, 7, 0, 0, 0, 11, 0, 13, 14, 15, 0, 0, 18, 19, 0, 0, 0, 23}),
      {.op = "pad",
       .label = "wider",
       .args = [] { return Args{numbers({2, 2}, {1, 2, 3, 4}), Ints{1, 0, 0, 1}, "constant", 9}; },
       .reference = [](const Args&) { return std::vector<Values>{{9, 1, 2, 9, 3, 4, 9, 9, 9}}; },
       .integers = true},
      {.op = "pad",
       .label = "narrower",
       .args = [] { return Args{numbers({2, 3}, {1, 2, 3, 4, 5, 6}), Ints{-1, 1}}; },
       .reference = [](const Args&) { return std::vector<Values>{{2, 3, 0, 5, 6, 0}}; }}};
}

std::vector<OpCase> joining() {
  const auto parts = [] {
    return std::vector<Tensor>{numbers({2, 1}, {1, 2}), numbers({2, 2}, {3, 4, 5, 6})};
  };
  const auto equal = [] {
    return std::vector<Tensor>{numbers({2}, {1, 2}), numbers({2}, {3, 4}), numbers({2}, {5, 6})};
  };
  const auto joined = [](const Args&) { return std::vector<Values>{{1, 3, 4, 2, 5, 6}}; };
  return {{.op = "cat", .args = [=] { return Args{parts(), 1}; }, .reference = joined},
          {.op = "concatenate", .args = [=] { return Args{parts(), -1}; }, .reference = joined},
          {.op = "stack",
           .args = [=] { return Args{equal(), 1}; },
           .reference = [](const Args&) { return std::vector<Values>{{1, 3, 5, 2, 4, 6}}; }}};
}

std::vector<OpCase> creation() {
  return {{.op = "full",
           .args = [] { return Args{Ints{2, 2}, 3, Dtype::float64}; },
           .reference = [](const Args&) { return std::vector<Values>{{3, 3, 3, 3}}; }},
          {.op = "arange",
           .label = "integers",
           .args = [] { return Args{2, 11, 3}; },
           .reference = [](const Args&) { return std::vector<Values>{{2, 5, 8}}; }},
          {.op = "arange",
           .label = "fractions",
           .args = [] { return Args{0.0, 1.0, 0.25, Dtype::float64}; },
           .reference = [](const Args&) { return std::vector<Values>{{0, 0.25, 0.5, 0.75}}; }},
          {.op = "linspace",
           .args = [] { return Args{-1, 2, 4, Dtype::float64}; },
           .reference = [](const Args&) { return std::vector<Values>{{-1, 0, 1, 2}}; }},
          {.op = "eye",
           .args = [] { return Args{2, 3}; },
           .reference = [](const Args&) { return std::vector<Values>{{1, 0, 0, 0, 1, 0}}; }}};
}

}  // namespace

std::vector<OpCase> reshape_cases() {
  std::vector<OpCase> all;
  for (const auto& family : {views(), replacements(), rearranging(), joining(), creation()}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  return all;
}

}  // namespace rondo::test
