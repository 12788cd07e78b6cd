// Cases of the random ops: for their bits alone, which seed and offset determine.
#include "tests/core/ops/cases.h"

namespace rondo::test {
namespace {

OpCase random_case(const char* op, const std::string& label, std::function<Args()> args) {
  return {.op = op, .label = label, .args = std::move(args)};
}

}  // namespace

std::vector<OpCase> random_cases() {
  std::vector<OpCase> cases;
  for (const Dtype dtype : {Dtype::float16, Dtype::bfloat16, Dtype::float32, Dtype::float64}) {
    const std::string label(dtype_name(dtype));
    cases.push_back(random_case("rand", label, [=] { return Args{Ints{5, 33}, dtype}; }));
    cases.push_back(random_case("randn", label, [=] { return Args{Ints{5, 33}, dtype}; }));
  }
  cases.push_back(random_case("randint", "", [] { return Args{-2, 300, Ints{5, 33}}; }));
  cases.push_back(random_case("bernoulli", "", [] { return Args{uniform({3, 4}, 0, 1)}; }));
  cases.push_back(random_case("dropout", "", [] { return Args{uniform({3, 4}, -1, 1), 0.25}; }));
  cases.push_back(random_case("randperm", "", [] { return Args{50}; }));
  cases.push_back(random_case("multinomial", "", [] { return Args{uniform({3, 4}, 0, 1), 3}; }));
  cases.push_back(random_case("multinomial", "replacement",
                              [] { return Args{uniform({3, 4}, 0, 1), 30, true}; }));
  cases.push_back(random_case("multinomial_pick", "", [] {
    return Args{uniform({3, 4}, 0, 1), uniform({3, 5}, 0, 1, 2), true};
  }));
  return cases;
}

}  // namespace rondo::test
