#include "serialize/condition.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/check_error.h"

namespace rondo::serialize {
namespace {

Bindings sizes(std::int64_t n) {
  Bindings result;
  result.set("n", n);
  return result;
}

TEST(Condition, ComparesExpressions) {
  EXPECT_TRUE(Condition::parse("n <= 4").holds(sizes(4)));
  EXPECT_FALSE(Condition::parse("n<4").holds(sizes(4)));
  EXPECT_TRUE(Condition::parse("n > 3").holds(sizes(4)));
  EXPECT_FALSE(Condition::parse("n >= 5").holds(sizes(4)));
  EXPECT_TRUE(Condition::parse("n//2*2 == n").holds(sizes(4)));
  EXPECT_FALSE(Condition::parse("n//2*2 == n").holds(sizes(5)));
  EXPECT_TRUE(Condition::parse("n != 3").holds(sizes(4)));
}

TEST(Condition, NeedsAComparisonOfExpressions) {
  const auto expect_refused = [](std::string_view text, const std::string& fault) {
    check_error<FormatError>([&] { Condition::parse(text); }, fault);
  };
  expect_refused("n + 1", "condition: expected a comparison in 'n + 1'");
  expect_refused("", "condition: expected a comparison in ''");
  expect_refused("n ==",
                 "dimension: cannot read '' at character 1; expected a number, a name or '('");
  expect_refused("== n",
                 "dimension: cannot read '' at character 1; expected a number, a name or '('");
  expect_refused("n = 3", "condition: expected a comparison in 'n = 3'");
  expect_refused("n < 3 < 4",
                 "dimension: cannot read '3 < 4' at character 3; expected an operator or the end");
  expect_refused(
      "n <= 3; exit",
      "dimension: cannot read '3; exit' at character 2; expected an operator or the end");
}

TEST(Condition, AGuardThatBreaksSaysWhere) {
  const Guard guard{"n <= 512", "model.py:12", "positions beyond 512 were not learned"};
  const Condition condition = Condition::parse(guard.condition);
  check_guard("forward", guard, condition, sizes(512));
  check_error<ShapeError>(
      [&] { check_guard("forward", guard, condition, sizes(600)); },
      "forward: the sizes break a guard: n <= 512, where n is 600: positions beyond 512 were not "
      "learned (model.py:12)");
}

}  // namespace
}  // namespace rondo::serialize
