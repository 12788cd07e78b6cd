// Walks the op table: every op has a case, and every case passes all checks of check_op and has the
// same bits in every mode.
#include <gtest/gtest.h>

#include <ostream>
#include <set>

#include "tests/core/ops/cases.h"
#include "tests/support/check_modes.h"

namespace rondo::test {

/// How GoogleTest names a failed case.
void PrintTo(const OpCase& c, std::ostream* out) {
  *out << c.op << ' ' << c.label;
}

namespace {

const std::vector<OpCase>& all_cases() {
  static const std::vector<OpCase> all = [] {
    std::vector<OpCase> list;
    for (const auto& family : {arithmetic_cases(), math_cases(), activation_cases(), reduce_cases(),
                               normalize_cases(), loss_cases(), index_cases(), reshape_cases(),
                               product_cases(), window_cases(), optimize_cases()}) {
      list.insert(list.end(), family.begin(), family.end());
    }
    return list;
  }();
  return all;
}

std::string case_name(const OpCase& c) {
  return c.label.empty() ? c.op : c.op + "_" + c.label;
}

class OpTableTest : public testing::TestWithParam<OpCase> {};

TEST_P(OpTableTest, PassesEveryCheck) {
  check_op(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Ops, OpTableTest, testing::ValuesIn(all_cases()),
                         [](const auto& info) { return case_name(info.param); });

class SameBitsTest : public testing::TestWithParam<OpCase> {};

TEST_P(SameBitsTest, InEveryModeAndNumberOfThreads) {
  check_modes(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Ops, SameBitsTest, testing::ValuesIn(all_cases()),
                         [](const auto& info) { return case_name(info.param); });
INSTANTIATE_TEST_SUITE_P(RandomOps, SameBitsTest, testing::ValuesIn(random_cases()),
                         [](const auto& info) { return case_name(info.param); });

TEST(OpTable, HasACaseForEveryOp) {
  std::set<std::string> missing;
  op_named("add");
  for (int i = 0; i < OpTable::instance().size(); ++i) {
    missing.emplace(OpTable::instance().get(i).name);
  }
  for (const OpCase& c : all_cases()) {
    missing.erase(c.op);
  }
  for (const OpCase& c : random_cases()) {  // random_test.cpp tests their values
    missing.erase(c.op);
  }
  for (const std::string& name : missing) {
    ADD_FAILURE() << "the op " << name << " has no case";
  }
}

}  // namespace
}  // namespace rondo::test
