// The cases of the op table, by family: see op_table_test.cpp.
#pragma once

#include <vector>

#include "tests/support/check_op.h"

namespace rondo::test {

/// A function of one number, on numbers from `low` to `high`.
inline OpCase unary(const char* op, double (*f)(double), double low, double high) {
  OpCase c{.op = op};
  c.args = [=] { return Args{uniform({2, 3}, low, high)}; };
  c.scalar = [f](const Values& v) { return f(v[0]); };
  return c;
}

std::vector<OpCase> arithmetic_cases();
std::vector<OpCase> math_cases();
std::vector<OpCase> activation_cases();
std::vector<OpCase> reduce_cases();
std::vector<OpCase> normalize_cases();
std::vector<OpCase> loss_cases();
std::vector<OpCase> index_cases();
std::vector<OpCase> reshape_cases();
std::vector<OpCase> product_cases();
std::vector<OpCase> window_cases();
std::vector<OpCase> optimize_cases();
std::vector<OpCase> random_cases();  // not in the walk of op_table_test.cpp

}  // namespace rondo::test
