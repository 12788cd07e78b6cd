// Cases: losses.
#include <cmath>
#include <numeric>

#include "core/ops/create.h"
#include "tests/core/ops/cases.h"
#include "tests/core/ops/lines.h"

namespace rondo::test {
namespace {

double mean_of(const Values& v) {
  return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
}

/// A loss of pairs of elements, in all three reductions.
std::vector<OpCase> pairwise(const char* op, const std::function<Args()>& operands,
                             const Args& rest, double (*f)(double, double)) {
  std::vector<OpCase> all;
  for (const char* reduction : {"mean", "sum", "none"}) {
    OpCase c{.op = op, .label = reduction};
    c.args = [=] {
      Args args = operands();
      args.emplace_back(reduction);
      args.insert(args.end(), rest.begin(), rest.end());
      return args;
    };
    c.reference = [=](const Args& args) {
      const Values x = values(tensor_arg(args, 0));
      const Values y = values(tensor_arg(args, 1));
      Values terms;
      for (std::size_t i = 0; i < x.size(); ++i) {
        terms.push_back(f(x[i], y[i]));
      }
      const std::string name = reduction;
      if (name == "none") {
        return std::vector<Values>{terms};
      }
      const double mean = mean_of(terms);
      return std::vector<Values>{
          {name == "mean" ? mean : mean * static_cast<double>(terms.size())}};
    };
    c.exact_halves = false;
    all.push_back(c);
  }
  return all;
}

std::vector<OpCase> regression() {
  const auto operands = [] {
    return Args{numbers({2, 3}, {0, 1, -2, 3, 0.5, -0.25}),
                numbers({2, 3}, {0.3, -1, 1, 2.9, 4, 0})};
  };
  std::vector<OpCase> all;
  const auto add = [&](const std::vector<OpCase>& list) {
    all.insert(all.end(), list.begin(), list.end());
  };
  add(pairwise("mse_loss", operands, {}, [](double x, double y) { return (x - y) * (x - y); }));
  add(pairwise("l1_loss", operands, {}, [](double x, double y) { return std::abs(x - y); }));
  add(pairwise("smooth_l1_loss", operands, {0.5}, [](double x, double y) {
    const double d = std::abs(x - y);
    return d < 0.5 ? d * d : d - 0.25;
  }));
  add(pairwise("huber_loss", operands, {0.5}, [](double x, double y) {
    const double d = std::abs(x - y);
    return d < 0.5 ? 0.5 * d * d : 0.5 * (d - 0.25);
  }));
  return all;
}

std::vector<OpCase> probabilities() {
  const auto parts = [] { return Args{uniform({2, 3}, 0.1, 0.9), uniform({2, 3}, 0.1, 0.9, 2)}; };
  std::vector<OpCase> all;
  for (const char* reduction : {"mean", "none"}) {
    OpCase c{.op = "binary_cross_entropy", .label = reduction};
    c.args = [=] {
      Args args = parts();
      args.emplace_back(uniform({3}, 0.5, 2, 3));
      args.emplace_back(reduction);
      return args;
    };
    c.exact_halves = false;
    all.push_back(c);
    c.op = "binary_cross_entropy_with_logits";
    c.args = [=] {
      return Args{uniform({2, 3}, -2, 2), uniform({2, 3}, 0.1, 0.9, 2), uniform({3}, 0.5, 2, 3),
                  reduction, uniform({3}, 0.5, 2, 4)};
    };
    all.push_back(c);
  }
  all[0].reference = [](const Args& args) {
    const Values x = values(tensor_arg(args, 0));
    const Values t = values(tensor_arg(args, 1));
    const Values w = values(tensor_arg(args, 2));
    Values terms;
    for (std::size_t i = 0; i < x.size(); ++i) {
      terms.push_back(-w[i % 3] * (t[i] * std::log(x[i]) + (1 - t[i]) * std::log(1 - x[i])));
    }
    return std::vector<Values>{{mean_of(terms)}};
  };
  all[1].reference = [](const Args& args) {
    const Values x = values(tensor_arg(args, 0));
    const Values t = values(tensor_arg(args, 1));
    const Values w = values(tensor_arg(args, 2));
    const Values p = values(tensor_arg(args, 4));
    Values terms;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double s = 1 / (1 + std::exp(-x[i]));
      terms.push_back(-w[i % 3] * (p[i % 3] * t[i] * std::log(s) + (1 - t[i]) * std::log(1 - s)));
    }
    return std::vector<Values>{{mean_of(terms)}};
  };
  const auto logs = [=] { return Args{uniform({2, 3}, -2, -0.5), uniform({2, 3}, 0.1, 0.9, 2)}; };
  const std::vector<OpCase> divergence =
      pairwise("kl_div", logs, {}, [](double x, double t) { return t * (std::log(t) - x); });
  all.insert(all.end(), divergence.begin(), divergence.end());
  return all;
}

/// Weights of classes have no gradient: float32, so that they are not tried.
Tensor class_weights() {
  return cast(numbers({4}, {0.5, 1, 2, 1.5}), Dtype::float32);
}

/// A loss of classes with three targets, the second of which may be ignored.
OpCase classes(const char* op, const char* label, const Args& rest, bool logarithms) {
  OpCase c{.op = op, .label = label};
  c.args = [rest] {
    Args args{uniform({3, 4}, -2, 2), integers({3}, {3, 1, 0})};
    args.insert(args.end(), rest.begin(), rest.end());
    return args;
  };
  c.exact_halves = false;
  c.reference = [=](const Args& args) {
    const std::vector<Values> rows = lines(tensor_arg(args, 0), {1});
    const Values target = values(tensor_arg(args, 1));
    const auto* weight = args.size() > 2 ? std::get_if<Tensor>(&args[2].value()) : nullptr;
    const Values w = weight == nullptr ? Values(4, 1.0) : values(*weight);
    double sum = 0;
    double weights = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto t = static_cast<std::size_t>(target[i]);
      if (args.size() > 3 && target[i] == 1) {
        continue;
      }
      double log_sum = 0;
      for (const double x : rows[i]) {
        log_sum += std::exp(x);
      }
      sum -= w[t] * (rows[i][t] - (logarithms ? 0 : std::log(log_sum)));
      weights += w[t];
    }
    return std::vector<Values>{{sum / weights}};
  };
  return c;
}

OpCase unchecked(OpCase c) {
  c.reference = nullptr;
  return c;
}

std::vector<OpCase> classification() {
  const Args weighted{class_weights()};
  const Args ignoring{class_weights(), 1};
  const auto images = [] {
    return Args{uniform({2, 3, 2}, -2, 2), integers({2, 2}, {2, 0, 1, 1})};
  };
  return {
      classes("nll_loss", "plain", {}, true),
      classes("nll_loss", "weighted", weighted, true),
      classes("nll_loss", "ignoring", ignoring, true),
      unchecked(classes("nll_loss", "none", {std::nullopt, -100, "none"}, true)),
      classes("cross_entropy", "plain", {}, false),
      classes("cross_entropy", "weighted", weighted, false),
      classes("cross_entropy", "ignoring", ignoring, false),
      unchecked(classes("cross_entropy", "smooth", {class_weights(), 1, "mean", 0.2}, false)),
      {.op = "cross_entropy", .label = "images", .args = images, .exact_halves = false},
      {.op = "cross_entropy",
       .label = "probabilities",
       .args = [] { return Args{uniform({3, 4}, -2, 2), uniform({3, 4}, 0.1, 0.4, 2)}; },
       .exact_halves = false},
      {.op = "nll_terms",
       .args =
           [] {
             return Args{uniform({3, 4}, -2, 2), integers({3}, {3, 1, 0}), class_weights(), 1};
           },
       .reference =
           [](const Args& args) {
             const Values x = values(tensor_arg(args, 0));
             const Values w = values(tensor_arg(args, 2));
             return std::vector<Values>{{-w[3] * x[3], 0, -w[0] * x[8]}, {w[3], 0, w[0]}};
           }},
      {.op = "nll_terms_backward",
       .args =
           [] {
             return Args{uniform({3}, -2, 2), integers({3}, {3, 1, 0}), class_weights(), Ints{3, 4},
                         1};
           },
       .reference =
           [](const Args& args) {
             const Values x = values(tensor_arg(args, 0));
             const Values w = values(tensor_arg(args, 2));
             return std::vector<Values>{{0, 0, 0, -w[3] * x[0], 0, 0, 0, 0, -w[0] * x[2], 0, 0, 0}};
           }}};
}

}  // namespace

std::vector<OpCase> loss_cases() {
  std::vector<OpCase> all;
  for (const auto& family : {regression(), probabilities(), classification()}) {
    all.insert(all.end(), family.begin(), family.end());
  }
  return all;
}

}  // namespace rondo::test
