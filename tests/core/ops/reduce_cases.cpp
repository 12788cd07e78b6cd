// Cases: reductions, statistics, order, running sums.
#include <cmath>
#include <numeric>

#include "tests/core/ops/cases.h"
#include "tests/core/ops/lines.h"

namespace rondo::test {
namespace {

using Fold = double (*)(const Values&);

double total(const Values& v) {
  return std::accumulate(v.begin(), v.end(), 0.0);
}
double average(const Values& v) {
  return total(v) / static_cast<double>(v.size());
}
double variance(const Values& v) {
  const double center = average(v);
  double sum = 0;
  for (const double x : v) {
    sum += (x - center) * (x - center);
  }
  return sum / (static_cast<double>(v.size()) - 1);
}
double place_of(const Values& v, bool largest) {
  const auto found =
      largest ? std::max_element(v.begin(), v.end()) : std::min_element(v.begin(), v.end());
  return static_cast<double>(found - v.begin());
}

/// The reduction of a [2, 3, 4] tensor over `axes`, with `rest` as arguments after the input.
OpCase over(const char* op, const char* label, const std::vector<int>& axes, const Args& rest,
            Fold fold) {
  OpCase c{.op = op, .label = label};
  c.args = [rest] {
    Args args{uniform({2, 3, 4}, 0.5, 2)};
    args.insert(args.end(), rest.begin(), rest.end());
    return args;
  };
  c.reference = [axes, fold](const Args& args) {
    Values result;
    for (const Values& line : lines(tensor_arg(args, 0), axes)) {
      result.push_back(fold(line));
    }
    return std::vector<Values>{result};
  };
  return c;
}

/// All forms of `dim` and `keepdim`.
std::vector<OpCase> forms(const char* op, Fold fold) {
  return {over(op, "all", {0, 1, 2}, {}, fold), over(op, "last", {2}, {-1}, fold),
          over(op, "first", {0}, {Ints{0}, true}, fold),
          over(op, "mixed", {0, 2}, {Ints{0, 2}, false}, fold),
          over(op, "middle", {1}, {1, true}, fold)};
}

std::vector<OpCase> plain_reductions() {
  std::vector<OpCase> all;
  const auto add = [&](const std::vector<OpCase>& list, bool integers) {
    for (OpCase c : list) {
      c.integers = integers;
      all.push_back(c);
    }
  };
  add(forms("sum", total), true);
  add(forms("mean", average), false);
  add(forms("prod",
            [](const Values& v) {
              return std::accumulate(v.begin(), v.end(), 1.0, std::multiplies<>());
            }),
      false);
  add(forms("amax", [](const Values& v) { return *std::max_element(v.begin(), v.end()); }), true);
  add(forms("amin", [](const Values& v) { return *std::min_element(v.begin(), v.end()); }), true);
  add(forms("any", [](const Values& v) { return total(v) != 0 ? 1.0 : 0.0; }), true);
  add(forms("all",
            [](const Values& v) { return std::count(v.begin(), v.end(), 0.0) == 0 ? 1.0 : 0.0; }),
      true);
  add(forms("norm2",
            [](const Values& v) {
              return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
            }),
      false);
  return all;
}

std::vector<OpCase> places() {
  const auto largest = [](const Values& v) { return place_of(v, true); };
  const auto least = [](const Values& v) { return place_of(v, false); };
  std::vector<OpCase> all{over("argmax", "all", {0, 1, 2}, {}, largest),
                          over("argmax", "middle", {1}, {1, true}, largest),
                          over("argmin", "all", {0, 1, 2}, {}, least),
                          over("argmin", "last", {2}, {-1}, least)};
  for (OpCase& c : all) {
    c.integers = true;
  }
  OpCase row_max = over("row_max", "", {2}, {-1},
                        [](const Values& v) { return *std::max_element(v.begin(), v.end()); });
  row_max.first = false;
  all.push_back(row_max);
  OpCase with_place{.op = "max_dim"};
  with_place.args = [] { return Args{uniform({2, 3, 4}, -2, 2), 1}; };
  with_place.reference = [](const Args& args) {
    std::vector<Values> result(2);
    for (const Values& line : lines(tensor_arg(args, 0), {1})) {
      result[0].push_back(*std::max_element(line.begin(), line.end()));
      result[1].push_back(place_of(line, true));
    }
    return result;
  };
  all.push_back(with_place);
  with_place.op = "min_dim";
  with_place.args = [] { return Args{uniform({2, 3, 4}, -2, 2), -1, true}; };
  with_place.reference = [](const Args& args) {
    std::vector<Values> result(2);
    for (const Values& line : lines(tensor_arg(args, 0), {2})) {
      result[0].push_back(*std::min_element(line.begin(), line.end()));
      result[1].push_back(place_of(line, false));
    }
    return result;
  };
  all.push_back(with_place);
  return all;
}

double power_norm(const Values& v) {
  double sum = 0;
  for (const double x : v) {
    sum += std::pow(std::abs(x), 3);
  }
  return std::pow(sum, 1.0 / 3);
}

double magnitude_sum(const Values& v) {
  double sum = 0;
  for (const double x : v) {
    sum += std::abs(x);
  }
  return sum;
}

std::vector<OpCase> statistics() {
  OpCase norm3 = over("norm", "cubes", {1}, {3, 1}, power_norm);
  norm3.exact_halves = false;
  OpCase norm1 = over("norm", "one", {1}, {1, 1}, magnitude_sum);
  norm1.exact_halves = false;
  return {over("var", "all", {0, 1, 2}, {}, variance),
          over("var", "mixed", {0, 2}, {Ints{0, 2}, 1, true}, variance),
          over("var", "biased", {1}, {1, 0},
               [](const Values& v) {
                 return variance(v) * (static_cast<double>(v.size()) - 1) /
                        static_cast<double>(v.size());
               }),
          over("std", "", {2}, {2}, [](const Values& v) { return std::sqrt(variance(v)); }),
          over("mean_corrected", "", {1}, {1, 1},
               [](const Values& v) { return total(v) / (static_cast<double>(v.size()) - 1); }),
          over("logsumexp", "last", {2}, {-1},
               [](const Values& v) {
                 double sum = 0;
                 for (const double x : v) {
                   sum += std::exp(x);
                 }
                 return std::log(sum);
               }),
          over("logsumexp", "mixed", {0, 2}, {Ints{0, 2}, true},
               [](const Values& v) {
                 double sum = 0;
                 for (const double x : v) {
                   sum += std::exp(x);
                 }
                 return std::log(sum);
               }),
          over("norm", "two", {0, 1, 2}, {},
               [](const Values& v) {
                 return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
               }),
          norm3,
          norm1,
          over("norm", "largest", {1}, {INFINITY, 1},
               [](const Values& v) { return *std::max_element(v.begin(), v.end()); }),
          over("norm", "zero", {1}, {0, 1},
               [](const Values& v) { return static_cast<double>(v.size()); }),
          over("count_nonzero", "", {1}, {1}, [](const Values& v) {
            return static_cast<double>(v.size()) -
                   static_cast<double>(std::count(v.begin(), v.end(), 0.0));
          })};
}

std::vector<Values> sorted_lines(const Args& args, int axis, bool falling, std::size_t count) {
  std::vector<Values> result(2);
  for (const Values& line : lines(tensor_arg(args, 0), {axis})) {
    std::vector<std::size_t> order(line.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return falling ? line[a] > line[b] : line[a] < line[b];
    });
    for (std::size_t i = 0; i < count; ++i) {
      result[0].push_back(line[order[i]]);
      result[1].push_back(static_cast<double>(order[i]));
    }
  }
  return result;
}

std::vector<OpCase> order() {
  const auto input = [] { return uniform({3, 5}, -4, 4); };
  return {{.op = "sort",
           .label = "rising",
           .args = [=] { return Args{input()}; },
           .reference = [](const Args& args) { return sorted_lines(args, 1, false, 5); },
           .integers = true},
          {.op = "sort",
           .label = "falling",
           .args = [=] { return Args{input(), 1, true}; },
           .reference = [](const Args& args) { return sorted_lines(args, 1, true, 5); },
           .integers = true},
          {.op = "sort", .label = "columns", .args = [=] { return Args{input(), 0}; }},
          {.op = "argsort",
           .args = [=] { return Args{input()}; },
           .reference =
               [](const Args& args) {
                 return std::vector<Values>{sorted_lines(args, 1, false, 5)[1]};
               }},
          {.op = "topk",
           .label = "largest",
           .args = [=] { return Args{input(), 2}; },
           .reference = [](const Args& args) { return sorted_lines(args, 1, true, 2); },
           .integers = true},
          {.op = "topk",
           .label = "least",
           .args = [=] { return Args{input(), 3, 1, false}; },
           .reference = [](const Args& args) { return sorted_lines(args, 1, false, 3); },
           .integers = true}};
}

std::vector<Values> running_sums(const Args& args) {
  Values result;
  for (const Values& line : lines(tensor_arg(args, 0), {1})) {
    Values sums(line.size());
    std::partial_sum(line.begin(), line.end(), sums.begin());
    result.insert(result.end(), sums.begin(), sums.end());
  }
  return {result};
}

std::vector<OpCase> sums_along() {
  return {
      {.op = "cumsum",
       .label = "rows",
       .args = [] { return Args{uniform({3, 5}, -4, 4), 1}; },
       .reference = running_sums,
       .integers = true},
      {.op = "cumsum", .label = "columns", .args = [] { return Args{uniform({3, 5}, -4, 4), 0}; }},
      {.op = "running_sum",
       .args = [] { return Args{uniform({3, 5}, -4, 4), -1}; },
       .reference = running_sums}};
}

}  // namespace

std::vector<OpCase> reduce_cases() {
  std::vector<OpCase> all;
  for (const auto& family : {plain_reductions(), places(), statistics(), order(), sums_along()}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  return all;
}

}  // namespace rondo::test
