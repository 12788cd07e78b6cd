#include "tracer/size_fit.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/op/device_scope.h"
#include "core/ops/create.h"
#include "core/ops/index.h"
#include "core/ops/rounding.h"
#include "core/tensor/equal.h"

namespace rondo::tracer {
namespace {

constexpr std::int64_t kSteps[] = {1, 2, 3, 4, 5, 6, 7, 8, 16, 32};
constexpr std::int64_t kMaxTried = std::int64_t{1} << 20;  // elements of an input of a large size
constexpr double kMaxWork = 1U << 27;                      // of a run with a large size
constexpr std::int64_t kFurther = 8;                       // from one large size to the next

/// The examples with sizes moved: rows are repeated, so that indices stay valid.
std::vector<Tensor> resized(const TraceRequest& request,
                            const std::map<std::string, std::int64_t>& moves) {
  std::vector<Tensor> inputs = request.inputs;
  for (const DynamicAxis& dynamic : request.dynamic) {
    const auto move = moves.find(dynamic.symbol);
    if (move != moves.end() && move->second != 0) {
      Tensor& input = inputs[static_cast<std::size_t>(dynamic.input)];
      const DeviceScope scope(input.device());
      const std::int64_t size = input.size(dynamic.axis);
      const Tensor places = remainder(arange(0, size + move->second), size);
      input = index_select(input, dynamic.axis, places);
    }
  }
  return inputs;
}

bool same_wiring(const GraphNode& a, const GraphNode& b) {
  if (a.op != b.op || a.in_place != b.in_place || a.no_grad != b.no_grad ||
      a.inputs.size() != b.inputs.size()) {
    return false;
  }
  for (std::size_t i = 0; i < a.inputs.size(); ++i) {
    const GraphOperand& x = a.inputs[i];
    const GraphOperand& y = b.inputs[i];
    if (x.kind != y.kind || x.value != y.value || x.name != y.name) {
      return false;
    }
  }
  return true;
}

/// "relu" or "nothing".
std::string_view name_at(const std::vector<GraphNode>& nodes, std::size_t i) {
  return i < nodes.size() ? nodes[i].op->name : "nothing";
}

bool is_size(const GraphOperand& operand) {
  return operand.kind == GraphOperand::Kind::number && operand.number.kind() == Dtype::int64;
}

/// "3*batch" or "-seq", with a sign in front where it follows another term.
std::string term(std::int64_t factor, const std::string& symbol, bool first) {
  const std::string sign = first || factor < 0 ? "" : "+";
  return sign + (factor == 1 ? symbol : fmt::format("{}*{}", factor, symbol));
}

std::int64_t remainder_of(std::int64_t size, std::int64_t step) {
  return size % step;
}

}  // namespace

std::vector<std::int64_t> integers_of(const Recording& recording) {
  std::vector<std::int64_t> result;
  for (const GraphNode& node : recording.graph.nodes) {
    for (const GraphOperand& operand : node.inputs) {
      if (is_size(operand)) {
        result.push_back(operand.number.to_int());
      }
    }
    for (const GraphAttr& attr : node.attrs) {
      if (const auto* list = std::get_if<Ints>(&attr.value.value())) {
        result.insert(result.end(), list->begin(), list->end());
      } else if (const auto* one = std::get_if<std::int64_t>(&attr.value.value())) {
        result.push_back(*one);
      }
    }
  }
  for (const Tensor& output : recording.outputs) {
    result.insert(result.end(), output.shape().begin(), output.shape().end());
  }
  return result;
}

SizeFit::SizeFit(const TraceRequest& request, const Recording& base, UnchangedTensors& unchanged)
    : request_(request), base_(base), unchanged_(unchanged), integers_(integers_of(base)) {
  for (const DynamicAxis& axis : request.dynamic) {
    const std::int64_t size = request.inputs[static_cast<std::size_t>(axis.input)].size(axis.axis);
    const auto known = std::find_if(symbols_.begin(), symbols_.end(),
                                    [&](const Symbol& s) { return s.name == axis.symbol; });
    check<ArgumentError>(known == symbols_.end() || known->size == size,
                         "trace: the symbol {} stands for sizes {} and {}; examples must agree",
                         axis.symbol, known == symbols_.end() ? size : known->size, size);
    if (known == symbols_.end()) {
      symbols_.push_back({axis.symbol, size, 1, {}});
    }
  }
  for (Symbol& symbol : symbols_) {
    fit_steps(symbol);
  }
  fit_pairs();
  for (const Symbol& symbol : symbols_) {
    bound_below(symbol);
    bound_above(symbol);
  }
}

Recording SizeFit::run(const Moves& moves) const {
  return record(request_, resized(request_, moves), unchanged_);
}

/// Calls, wiring, numbers and constants; not the integers.
std::optional<SizeFit::Difference> SizeFit::compare(const Recording& other) const {
  const std::vector<GraphNode>& a = base_.graph.nodes;
  const std::vector<GraphNode>& b = other.graph.nodes;
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    if (i >= a.size() || i >= b.size() || !same_wiring(a[i], b[i])) {
      return Difference{i < a.size() ? a[i].source : b[i].source,
                        fmt::format("the calls depend on a size: {} with the example, {} with "
                                    "another size; loops over a dynamic size cannot be exported",
                                    name_at(a, i), name_at(b, i))};
    }
    for (std::size_t k = 0; k < a[i].inputs.size(); ++k) {
      const GraphOperand& x = a[i].inputs[k];
      const GraphOperand& y = b[i].inputs[k];
      if (x.kind == GraphOperand::Kind::number &&
          (is_size(x) != is_size(y) || (!is_size(x) && !(x.number == y.number)))) {
        return Difference{a[i].source,
                          fmt::format("a number depends on a size: {} and {}; compute it from the "
                                      "tensor's shape as an integer",
                                      x.number.str(), y.number.str())};
      }
    }
  }
  for (std::size_t i = 0; i < base_.constants.size(); ++i) {
    const Tensor& x = base_.constants[i].tensor;
    const Tensor& y = other.constants[i].tensor;
    if (!x.is_same(y) && !same_bits(x, y)) {
      return Difference{base_.graph.name,
                        fmt::format("a tensor of shape {} that was made without calls of ops "
                                    "differs from run to run; what is exported cannot make it anew",
                                    x.shape())};
    }
  }
  return std::nullopt;
}

bool SizeFit::fit(Symbol& symbol, std::int64_t step, Difference& why) const {
  const Recording once = run({{symbol.name, step}});
  const Recording twice = run({{symbol.name, 2 * step}});
  for (const Recording* other : {&once, &twice}) {
    if (const auto difference = compare(*other)) {
      why = *difference;
      return false;
    }
  }
  const std::vector<std::int64_t> a = integers_of(once);
  const std::vector<std::int64_t> b = integers_of(twice);
  why = {base_.graph.name, "the ranks of results depend on a size"};
  if (a.size() != integers_.size() || b.size() != integers_.size()) {
    return false;
  }
  symbol.slopes.clear();
  for (std::size_t i = 0; i < a.size(); ++i) {
    symbol.slopes.push_back(a[i] - integers_[i]);
    if (b[i] - integers_[i] != 2 * symbol.slopes.back()) {
      why = {base_.graph.name,
             fmt::format("an integer depends on the size {} but not linearly: {}, {}, {}",
                         symbol.name, integers_[i], a[i], b[i])};
      return false;
    }
  }
  symbol.step = step;
  return true;
}

void SizeFit::fit_steps(Symbol& symbol) {
  Difference first;
  bool threw = false;
  for (const std::int64_t step : kSteps) {
    Difference why;
    bool fits = false;
    try {
      fits = fit(symbol, step, why);
    } catch (...) {
      threw = threw || step == 1;
      why = {"", "the function fails"};
      if (request_.forget_error) {
        request_.forget_error();
      }
    }
    first = step == 1 ? why : first;
    if (fits) {
      if (step > 1) {
        const std::int64_t rest = remainder_of(symbol.size, step);
        const std::string base =
            rest == 0 ? symbol.name : fmt::format("({}-{})", symbol.name, rest);
        guards_.push_back(
            {fmt::format("{}//{}*{} == {}", base, step, step,
                         rest == 0 ? symbol.name : fmt::format("{}-{}", symbol.name, rest)),
             first.source,
             fmt::format("the trace holds for sizes in steps of {}: between them {}", step,
                         first.text)});
      }
      return;
    }
  }
  if (threw) {
    run({{symbol.name, 1}});
  }
  fail<ArgumentError>("trace: {}: {}", first.source, first.text);
}

void SizeFit::fit_pairs() {
  if (symbols_.size() < 2) {
    return;
  }
  Moves all;
  for (std::size_t s = 0; s < symbols_.size(); ++s) {
    all[symbols_[s].name] = 2 * symbols_[s].step;
    for (std::size_t t = s + 1; t < symbols_.size(); ++t) {
      const Recording both =
          run({{symbols_[s].name, symbols_[s].step}, {symbols_[t].name, symbols_[t].step}});
      const auto difference = compare(both);
      check<ArgumentError>(!difference, "trace: {}: {}", difference ? difference->source : "",
                           difference ? difference->text : "");
      const std::vector<std::int64_t> seen = integers_of(both);
      std::vector<std::int64_t>& factors = products_[{s, t}];
      for (std::size_t i = 0; i < integers_.size(); ++i) {
        factors.push_back(seen.at(i) - integers_[i] - symbols_[s].slopes[i] -
                          symbols_[t].slopes[i]);
        check<ArgumentError>(
            factors.back() == 0 || (whole_steps(symbols_[s]) && whole_steps(symbols_[t])),
            "trace: {}: an integer depends on a product of the sizes {} and {}; their examples "
            "must be multiples of the steps {} and {} in which they go",
            base_.graph.name, symbols_[s].name, symbols_[t].name, symbols_[s].step,
            symbols_[t].step);
      }
    }
  }
  const auto difference = differs(all);
  check<ArgumentError>(!difference, "trace: {}: {}", difference ? difference->source : "",
                       difference ? difference->text : "");
}

std::int64_t SizeFit::expected(std::size_t i, const Moves& moves) const {
  std::int64_t value = integers_[i];
  const auto steps = [&](const Symbol& symbol) {
    const auto move = moves.find(symbol.name);
    return move == moves.end() ? 0 : move->second / symbol.step;
  };
  for (std::size_t s = 0; s < symbols_.size(); ++s) {
    value += symbols_[s].slopes[i] * steps(symbols_[s]);
  }
  for (const auto& [pair, factors] : products_) {
    value += factors[i] * steps(symbols_[pair.first]) * steps(symbols_[pair.second]);
  }
  return value;
}

std::optional<SizeFit::Difference> SizeFit::differs(const Moves& moves, double* work) const {
  try {
    const Recording other = run(moves);
    if (work != nullptr) {
      *work = other.work;
    }
    if (auto difference = compare(other)) {
      return difference;
    }
    const std::vector<std::int64_t> seen = integers_of(other);
    for (std::size_t i = 0; i < integers_.size(); ++i) {
      if (i >= seen.size() || seen[i] != expected(i, moves)) {
        return Difference{base_.graph.name,
                          fmt::format("an integer is {} where {} follows from the trace",
                                      i < seen.size() ? seen[i] : 0, expected(i, moves))};
      }
    }
    return std::nullopt;
  } catch (...) {
    if (request_.forget_error) {
      request_.forget_error();
    }
    return Difference{"", "the function fails"};
  }
}

/// Finds the last size that does not differ, between the example's and one that does.
void SizeFit::search(const Symbol& symbol, std::int64_t bad, Difference why,
                     const char* comparison) {
  std::int64_t good = symbol.size;
  while (std::abs(good - bad) > symbol.step) {
    const std::int64_t middle = good + (bad - good) / symbol.step / 2 * symbol.step;
    if (const auto difference = differs({{symbol.name, middle - symbol.size}})) {
      bad = middle;
      why = *difference;
    } else {
      good = middle;
    }
  }
  guards_.push_back({fmt::format("{} {} {}", symbol.name, comparison, good), why.source,
                     fmt::format("the trace does not hold for {}: {}", bad, why.text)});
}

void SizeFit::bound_below(const Symbol& symbol) {
  const std::int64_t rest = remainder_of(symbol.size, symbol.step);
  const std::int64_t least = rest == 0 ? symbol.step : rest;
  for (const std::int64_t size : {least, rest}) {
    if (size < symbol.size) {
      if (const auto difference = differs({{symbol.name, size - symbol.size}})) {
        search(symbol, size, *difference, ">=");
        return;
      }
    }
  }
}

bool SizeFit::few_elements(const Symbol& symbol, std::int64_t size) const {
  return std::all_of(request_.inputs.begin(), request_.inputs.end(), [&](const Tensor& input) {
    return input.numel() / std::max<std::int64_t>(symbol.size, 1) * size < kMaxTried;
  });
}

/// Twice the example's size, then eight times further each time. Work may grow with the square of a
/// size. What is tried depends on numbers of elements alone, so that archives do not depend on the
/// machine.
void SizeFit::bound_above(const Symbol& symbol) {
  std::int64_t move = (symbol.size / symbol.step + 2) * symbol.step;
  double foreseen = 0;
  while (few_elements(symbol, symbol.size + move) && foreseen < kMaxWork) {
    double work = 0;
    if (const auto difference = differs({{symbol.name, move}}, &work)) {
      search(symbol, symbol.size + move, *difference, "<=");
      return;
    }
    foreseen = work * kFurther * kFurther;
    move *= kFurther;
  }
}

SizeText SizeFit::text(std::size_t i) const {
  std::vector<std::int64_t> factors;
  std::int64_t rest = integers_[i];
  std::string terms;
  for (const Symbol& symbol : symbols_) {
    factors.push_back(symbol.slopes[i]);
  }
  for (const auto& [pair, products] : products_) {
    const Symbol& a = symbols_[pair.first];
    const Symbol& b = symbols_[pair.second];
    if (products[i] != 0) {
      const std::int64_t steps = a.step * b.step;
      const bool whole = products[i] % steps == 0;
      terms +=
          term(whole ? products[i] / steps : products[i], a.name + "*" + b.name, terms.empty());
      terms += whole ? "" : fmt::format("//{}", steps);
      factors[pair.first] -= products[i] * (b.size / b.step);
      factors[pair.second] -= products[i] * (a.size / a.step);
      rest -= products[i] * (a.size / a.step) * (b.size / b.step);
    }
  }
  for (std::size_t s = 0; s < symbols_.size(); ++s) {
    const Symbol& symbol = symbols_[s];
    const std::int64_t factor = factors[s];
    if (factor % symbol.step == 0) {
      const std::int64_t whole = factor / symbol.step;
      terms += whole == 0 ? "" : term(whole, symbol.name, terms.empty());
      rest -= whole * symbol.size;
      continue;
    }
    const std::int64_t over = remainder_of(symbol.size, symbol.step);
    const std::string moved = over == 0 ? symbol.name : fmt::format("({}-{})", symbol.name, over);
    terms += term(factor, moved, terms.empty()) + fmt::format("//{}", symbol.step);
    rest -= factor * ((symbol.size - over) / symbol.step);
  }
  if (terms.empty()) {
    return std::to_string(integers_[i]);
  }
  return rest == 0 ? terms : terms + (rest > 0 ? "+" : "") + std::to_string(rest);
}

}  // namespace rondo::tracer
