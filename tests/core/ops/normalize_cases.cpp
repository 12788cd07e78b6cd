// Cases: softmax and its relatives, layer, group, batch and RMS norm.
#include <cmath>

#include "core/ops/reshape.h"
#include "tests/core/ops/cases.h"
#include "tests/core/ops/lines.h"

namespace rondo::test {
namespace {

Values softmax_line(const Values& x, bool logarithm) {
  double sum = 0;
  for (const double v : x) {
    sum += std::exp(v);
  }
  Values result;
  for (const double v : x) {
    result.push_back(logarithm ? v - std::log(sum) : std::exp(v) / sum);
  }
  return result;
}

OpCase softmax_case(const char* op, bool logarithm) {
  OpCase c{.op = op};
  c.args = [] { return Args{uniform({3, 5}, -2, 2), -1}; };
  c.reference = [logarithm](const Args& args) {
    Values result;
    for (const Values& line : lines(tensor_arg(args, 0), {1})) {
      const Values y = softmax_line(line, logarithm);
      result.insert(result.end(), y.begin(), y.end());
    }
    return std::vector<Values>{result};
  };
  return c;
}

OpCase columns(OpCase c) {
  c.label = "columns";
  c.args = [] { return Args{uniform({2, 3, 2}, -2, 2), 1}; };
  c.reference = nullptr;
  return c;
}

OpCase backward_case(const char* op) {
  return {.op = op,
          .args = [] { return Args{uniform({3, 5}, -2, 2), uniform({3, 5}, 0.1, 0.9, 2), 1}; }};
}

constexpr double kEps = 1e-3;

Values standardized(const Values& x, double eps, bool centered) {
  double center = 0;
  for (const double v : x) {
    center += centered ? v / static_cast<double>(x.size()) : 0;
  }
  double variance = 0;
  for (const double v : x) {
    variance += (v - center) * (v - center) / static_cast<double>(x.size());
  }
  Values result;
  for (const double v : x) {
    result.push_back((v - center) / std::sqrt(variance + eps));
  }
  return result;
}

/// Lines of the last axis, standardized, with weight and bias (if any) along it.
std::vector<Values> layer_reference(const Args& args, std::size_t weight, std::size_t bias,
                                    bool centered) {
  const auto parameter = [&](std::size_t i) {
    const auto* t = i < args.size() ? std::get_if<Tensor>(&args[i].value()) : nullptr;
    return t == nullptr ? Values{} : values(*t);
  };
  const Values w = parameter(weight);
  const Values b = parameter(bias);
  Values result;
  for (const Values& line : lines(tensor_arg(args, 0), {1})) {
    const Values y = standardized(line, kEps, centered);
    for (std::size_t i = 0; i < y.size(); ++i) {
      result.push_back(y[i] * (w.empty() ? 1 : w[i]) + (b.empty() ? 0 : b[i]));
    }
  }
  return {result};
}

Tensor stats_like(double low, double high) {
  return uniform({3, 1}, low, high, 9);
}

std::vector<OpCase> parts() {
  const auto x = [] { return uniform({3, 5}, -2, 2); };
  return {{.op = "standardize",
           .label = "affine",
           .args =
               [=] {
                 return Args{x(), uniform({5}, 0.5, 2, 2), uniform({5}, -1, 1, 3), kEps, Ints{1}};
               },
           .reference = [](const Args& args) { return layer_reference(args, 1, 2, true); }},
          {.op = "standardize",
           .label = "plain",
           .args = [=] { return Args{x(), std::nullopt, std::nullopt, kEps, Ints{0, 1}}; }},
          {.op = "standardize_backward",
           .args =
               [=] {
                 return Args{uniform({3, 5}, -1, 1, 4),
                             x(),
                             stats_like(-1, 1),
                             stats_like(0.5, 2),
                             uniform({5}, 0.5, 2, 2),
                             kEps,
                             Ints{1}};
               }},
          {.op = "standardize_weight_backward",
           .args =
               [=] {
                 return Args{uniform({3, 5}, -1, 1, 4), x(),  stats_like(-1, 1),
                             stats_like(0.5, 2),        kEps, Ints{0}};
               }},
          {.op = "standardize_with",
           .args =
               [=] {
                 return Args{x(),
                             stats_like(-1, 1),
                             stats_like(0.5, 2),
                             uniform({5}, 0.5, 2, 2),
                             uniform({5}, -1, 1, 3),
                             kEps};
               }},
          {.op = "scale_to_unit",
           .args = [=] { return Args{x(), uniform({5}, 0.5, 2, 2), kEps, Ints{1}}; },
           .reference = [](const Args& args) { return layer_reference(args, 1, 99, false); }}};
}

/// Group norm of [n, c, w] in groups.
std::vector<Values> group_reference(const Args& args, std::int64_t groups) {
  const Tensor& x = tensor_arg(args, 0);
  const Shape grouped{x.shape()[0] * groups, x.numel() / (x.shape()[0] * groups)};
  const Values w = values(tensor_arg(args, 2));
  const Values b = values(tensor_arg(args, 3));
  Values result;
  for (const Values& line : lines(reshape(x, grouped), {1})) {
    const Values y = standardized(line, kEps, true);
    result.insert(result.end(), y.begin(), y.end());
  }
  const auto width = static_cast<std::size_t>(x.shape()[2]);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::size_t channel = i / width % w.size();
    result[i] = result[i] * w[channel] + b[channel];
  }
  return {result};
}

/// Training batch norm of [n, c, w].
std::vector<Values> batch_reference(const Args& args) {
  const Tensor& x = tensor_arg(args, 0);
  const Values w = values(tensor_arg(args, 3));
  const Values b = values(tensor_arg(args, 4));
  Values result(static_cast<std::size_t>(x.numel()));
  const auto width = static_cast<std::size_t>(x.shape()[2]);
  const std::vector<Values> channels = lines(x, {0, 2});
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const Values y = standardized(channels[c], kEps, true);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const std::size_t place = (i / width * channels.size() + c) * width + i % width;
      result[place] = y[i] * w[c] + b[c];
    }
  }
  return {result};
}

std::vector<OpCase> layers() {
  const auto x = [] { return uniform({3, 5}, -2, 2); };
  const auto image = [] { return uniform({2, 4, 3}, -2, 2); };
  return {
      {.op = "layer_norm",
       .label = "affine",
       .args = [=] { return Args{x(), 5, uniform({5}, 0.5, 2, 2), uniform({5}, -1, 1, 3), kEps}; },
       .reference = [](const Args& args) { return layer_reference(args, 2, 3, true); }},
      {.op = "layer_norm",
       .label = "two_axes",
       .args = [=] { return Args{image(), Ints{4, 3}, uniform({4, 3}, 0.5, 2, 2)}; }},
      {.op = "rms_norm",
       .args = [=] { return Args{x(), 5, uniform({5}, 0.5, 2, 2), kEps}; },
       .reference = [](const Args& args) { return layer_reference(args, 2, 99, false); }},
      {.op = "group_norm",
       .args =
           [=] { return Args{image(), 2, uniform({4}, 0.5, 2, 2), uniform({4}, -1, 1, 3), kEps}; },
       .reference = [](const Args& args) { return group_reference(args, 2); },
       .exact_halves = false},
      {.op = "batch_norm",
       .label = "training",
       .args =
           [=] {
             return Args{image(),
                         std::nullopt,
                         std::nullopt,
                         uniform({4}, 0.5, 2, 2),
                         uniform({4}, -1, 1, 3),
                         true,
                         0.1,
                         kEps};
           },
       .reference = batch_reference},
      {.op = "batch_norm", .label = "evaluation", .args = [=] {
         return Args{image(),
                     uniform({4}, -1, 1, 5),
                     uniform({4}, 0.5, 2, 6),
                     uniform({4}, 0.5, 2, 2),
                     uniform({4}, -1, 1, 3),
                     false,
                     0.1,
                     kEps};
       }}};
}

}  // namespace

std::vector<OpCase> normalize_cases() {
  std::vector<OpCase> all{
      softmax_case("softmax", false),    columns(softmax_case("softmax", false)),
      softmax_case("log_softmax", true), columns(softmax_case("log_softmax", true)),
      backward_case("softmax_backward"), backward_case("log_softmax_backward")};
  for (const auto& family : {parts(), layers()}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  return all;
}

}  // namespace rondo::test
