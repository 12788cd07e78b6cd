// Cases: products, convolutions, attention, pooling.
#include <cmath>

#include "core/ops/reshape.h"
#include "tests/core/ops/cases.h"
#include "tests/core/ops/lines.h"

namespace rondo::test {
namespace {

/// Row-major products of [m, k] and [k, n] matrices.
Values product(const Values& a, const Values& b, std::size_t m, std::size_t k, std::size_t n) {
  Values result;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::size_t p = 0; p < k; ++p) {
        sum += a[i * k + p] * b[p * n + j];
      }
      result.push_back(sum);
    }
  }
  return result;
}

OpCase matrices(const char* op, const char* label, const Shape& a, const Shape& b) {
  OpCase c{.op = op, .label = label};
  c.args = [=] { return Args{uniform(a, -2, 2), uniform(b, -2, 2, 2)}; };
  c.float_tolerance = 1e-5;
  return c;
}

std::vector<OpCase> products() {
  OpCase plain = matrices("matmul", "matrices", {2, 3}, {3, 4});
  plain.reference = [](const Args& args) {
    return std::vector<Values>{
        product(values(tensor_arg(args, 0)), values(tensor_arg(args, 1)), 2, 3, 4)};
  };
  plain.integers = true;
  OpCase dot = matrices("dot", "", {4}, {4});
  dot.reference = [](const Args& args) {
    return std::vector<Values>{
        product(values(tensor_arg(args, 0)), values(tensor_arg(args, 1)), 1, 4, 1)};
  };
  OpCase outer = matrices("outer", "", {2}, {3});
  outer.reference = [](const Args& args) {
    return std::vector<Values>{
        product(values(tensor_arg(args, 0)), values(tensor_arg(args, 1)), 2, 1, 3)};
  };
  OpCase batch = matrices("bmm", "", {2, 2, 3}, {2, 3, 2});
  batch.reference = [](const Args& args) {
    const Values a = values(tensor_arg(args, 0));
    const Values b = values(tensor_arg(args, 1));
    Values result = product(a, b, 2, 3, 2);
    const Values second = product({a.begin() + 6, a.end()}, {b.begin() + 6, b.end()}, 2, 3, 2);
    result.insert(result.end(), second.begin(), second.end());
    return std::vector<Values>{result};
  };
  OpCase linear{.op = "linear"};
  linear.args = [] {
    return Args{uniform({2, 3}, -2, 2), uniform({4, 3}, -2, 2, 2), uniform({4}, -2, 2, 3)};
  };
  linear.reference = [](const Args& args) {
    Values result =
        product(values(tensor_arg(args, 0)), values(transpose(tensor_arg(args, 1), 0, 1)), 2, 3, 4);
    const Values bias = values(tensor_arg(args, 2));
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] += bias[i % 4];
    }
    return std::vector<Values>{result};
  };
  linear.exact_halves = false;
  linear.float_tolerance = 1e-5;
  return {plain,
          matrices("matmul", "vectors", {3}, {3}),
          matrices("matmul", "row", {3}, {2, 3, 2}),
          matrices("matmul", "column", {2, 2, 3}, {3}),
          matrices("matmul", "batch", {2, 1, 2, 3}, {3, 3, 2}),
          matrices("matmul", "shared", {2, 2, 3}, {3, 2}),
          dot,
          outer,
          batch,
          linear};
}

std::vector<Values> attention_reference(const Args& args, bool causal) {
  const Values q = values(tensor_arg(args, 0));  // [2, 3]
  const Values k = values(tensor_arg(args, 1));  // [3, 3]
  const Values v = values(tensor_arg(args, 2));  // [3, 2]
  Values weights;
  for (std::size_t i = 0; i < 2; ++i) {
    double total = 0;
    Values row;
    for (std::size_t j = 0; j < 3; ++j) {
      double score = 0;
      for (std::size_t p = 0; p < 3; ++p) {
        score += q[i * 3 + p] * k[j * 3 + p];
      }
      row.push_back(causal && j > i ? 0 : std::exp(score / std::sqrt(3.0)));
      total += row.back();
    }
    for (const double w : row) {
      weights.push_back(w / total);
    }
  }
  return {product(weights, v, 2, 3, 2)};
}

OpCase attention(const char* label, const Args& rest) {
  OpCase c{.op = "scaled_dot_product_attention", .label = label};
  c.args = [rest] {
    Args args{uniform({2, 3}, -2, 2), uniform({3, 3}, -2, 2, 2), uniform({3, 2}, -2, 2, 3)};
    args.insert(args.end(), rest.begin(), rest.end());
    return args;
  };
  c.exact_halves = false;
  return c;
}

std::vector<OpCase> attentions() {
  OpCase plain = attention("plain", {});
  plain.reference = [](const Args& args) { return attention_reference(args, false); };
  OpCase causal = attention("causal", {std::nullopt, 0.0, true});
  causal.reference = [](const Args& args) { return attention_reference(args, true); };
  return {plain, causal, attention("masked", {bools({2, 3}, {1, 0, 1, 1, 1, 0})}),
          attention("added", {uniform({2, 3}, -1, 1, 5), 0.0, false, 0.5})};
}

/// A convolution of one group by its definition.
std::vector<Values> convolution_reference(const Args& args, std::int64_t stride,
                                          std::int64_t padding, std::int64_t dilation) {
  const Tensor& x = tensor_arg(args, 0);
  const Tensor& w = tensor_arg(args, 1);
  const Values xs = values(x);
  const Values ws = values(w);
  const std::int64_t rows = x.shape()[2];
  const std::int64_t columns = x.shape()[3];
  const auto size = [&](std::int64_t n, std::int64_t k) {
    return (n + 2 * padding - dilation * (k - 1) - 1) / stride + 1;
  };
  const std::int64_t out_rows = size(rows, w.shape()[2]);
  const std::int64_t out_columns = size(columns, w.shape()[3]);
  Values result;
  for (std::int64_t n = 0; n < x.shape()[0]; ++n) {
    for (std::int64_t o = 0; o < w.shape()[0]; ++o) {
      for (std::int64_t p = 0; p < out_rows * out_columns; ++p) {
        double sum = 0;
        for (std::int64_t t = 0; t < w.numel() / w.shape()[0]; ++t) {
          const std::int64_t area = w.shape()[2] * w.shape()[3];
          const std::int64_t c = t / area;
          const std::int64_t r =
              p / out_columns * stride - padding + t % area / w.shape()[3] * dilation;
          const std::int64_t s = p % out_columns * stride - padding + t % w.shape()[3] * dilation;
          if (r >= 0 && r < rows && s >= 0 && s < columns) {
            const std::int64_t at = ((n * x.shape()[1] + c) * rows + r) * columns + s;
            sum += xs[static_cast<std::size_t>(at)] *
                   ws[static_cast<std::size_t>(o * w.numel() / w.shape()[0] + t)];
          }
        }
        result.push_back(sum);
      }
    }
  }
  return {result};
}

OpCase convolution(const char* op, const char* label, std::function<Args()> args) {
  return {.op = op, .label = label, .args = std::move(args), .float_tolerance = 1e-5};
}

std::vector<OpCase> convolutions() {
  const auto x = [] { return uniform({2, 2, 4, 3}, -1, 1); };
  const auto w = [] { return uniform({3, 2, 2, 2}, -1, 1, 2); };
  OpCase plain = convolution("convolution", "plain",
                             [=] { return Args{x(), w(), Ints{1, 1}, Ints{0, 0}, Ints{1, 1}, 1}; });
  plain.reference = [](const Args& args) { return convolution_reference(args, 1, 0, 1); };
  OpCase spread = convolution("convolution", "spread", [=] {
    return Args{x(), w(), Ints{2, 2}, Ints{1, 1}, Ints{2, 2}, 1};
  });
  spread.reference = [](const Args& args) { return convolution_reference(args, 2, 1, 2); };
  OpCase biased =
      convolution("conv2d", "", [=] { return Args{x(), w(), uniform({3}, -1, 1, 3), 1, 1}; });
  biased.exact_halves = false;
  OpCase line = convolution("conv1d", "", [] {
    return Args{uniform({2, 2, 5}, -1, 1), uniform({3, 2, 2}, -1, 1, 2), uniform({3}, -1, 1, 3), 2};
  });
  line.exact_halves = false;
  return {plain,
          spread,
          convolution("convolution", "groups",
                      [] {
                        return Args{uniform({1, 4, 3, 3}, -1, 1),
                                    uniform({4, 2, 2, 2}, -1, 1, 2),
                                    Ints{1, 1},
                                    Ints{1, 0},
                                    Ints{1, 1},
                                    2};
                      }),
          convolution("convolution_input", "",
                      [=] {
                        return Args{uniform({2, 3, 2, 2}, -1, 1),
                                    w(),
                                    Ints{2, 2, 4, 3},
                                    Ints{2, 1},
                                    Ints{0, 0},
                                    Ints{1, 1},
                                    1};
                      }),
          convolution("convolution_weight", "",
                      [=] {
                        return Args{uniform({2, 3, 2, 2}, -1, 1),
                                    x(),
                                    Ints{3, 2, 2, 2},
                                    Ints{2, 1},
                                    Ints{0, 0},
                                    Ints{1, 1},
                                    1};
                      }),
          biased,
          line};
}

}  // namespace

std::vector<OpCase> product_cases() {
  std::vector<OpCase> all;
  for (const auto& family : {products(), attentions(), convolutions()}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  return all;
}

std::vector<OpCase> window_cases() {
  // All numbers differ, so that maxima do not change under small steps.
  const auto plane = [] {
    return numbers({1, 4, 4}, {1, 9, 3, 4, 5, 2, 12, 7, 8, 16, 6, 11, 13, 10, 14, 15});
  };
  return {
      {.op = "max_pool2d",
       .args = [=] { return Args{plane(), 2}; },
       .reference = [](const Args&) { return std::vector<Values>{{9, 12, 16, 15}}; }},
      {.op = "max_pool2d_with_indices",
       .label = "overlapping",
       .args = [=] { return Args{plane(), Ints{3, 2}, Ints{1, 2}, Ints{1, 0}}; },
       .reference =
           [](const Args&) {
             return std::vector<Values>{{9, 12, 16, 12, 16, 15, 16, 15},
                                        {1, 6, 9, 6, 9, 15, 9, 15}};
           }},
      {.op = "max_pool2d_with_indices",
       .label = "dilated",
       .args = [=] { return Args{plane(), 2, 1, 0, 2}; },
       .reference =
           [](const Args&) { return std::vector<Values>{{8, 16, 14, 15}, {8, 9, 14, 15}}; }},
      {.op = "avg_pool2d",
       .label = "plain",
       .args = [=] { return Args{plane(), 2}; },
       .reference = [](const Args&) { return std::vector<Values>{{4.25, 6.5, 11.75, 11.5}}; }},
      {.op = "avg_pool2d",
       .label = "padded",
       .args = [=] { return Args{plane(), 3, 3, 1}; },
       .reference =
           [](const Args&) {
             return std::vector<Values>{{17.0 / 9, 26.0 / 9, 47.0 / 9, 46.0 / 9}};
           }},
      {.op = "avg_pool2d",
       .label = "uncounted",
       .args = [=] { return Args{plane(), 3, 3, 1, true, false}; }},
      {.op = "avg_pool2d_backward",
       .args =
           [] {
             return Args{
                 uniform({1, 2, 2}, -1, 1), Ints{1, 4, 4}, Ints{3}, Ints{3}, Ints{1}, false, true};
           }},
      {.op = "adaptive_avg_pool2d",
       .label = "one",
       .args = [=] { return Args{plane(), 1}; },
       .reference = [](const Args&) { return std::vector<Values>{{8.5}}; }},
      {.op = "adaptive_avg_pool2d",
       .label = "even",
       .args = [=] { return Args{plane(), 2}; },
       .reference = [](const Args&) { return std::vector<Values>{{4.25, 6.5, 11.75, 11.5}}; }},
      {.op = "adaptive_avg_pool2d",
       .label = "uneven",
       .args = [=] { return Args{plane(), Ints{3, 1}}; },
       .exact_halves = false}};
}

}  // namespace rondo::test
