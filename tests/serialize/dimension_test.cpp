// Tests of dimension expressions: text, arithmetic, limits and errors.
#include "serialize/dimension.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/check_error.h"

namespace rondo::serialize {
namespace {

using Names = std::vector<std::string>;

Bindings sizes(std::initializer_list<std::pair<const char*, std::int64_t>> list) {
  Bindings bindings;
  for (const auto& [name, value] : list) {
    bindings.set(name, value);
  }
  return bindings;
}

std::string rewritten(std::string_view text) {
  return Dimension::parse(text).text();
}

TEST(Dimension, PrintsWithoutSpacesAndIdleParentheses) {
  EXPECT_EQ(rewritten("28"), "28");
  EXPECT_EQ(rewritten(" batch "), "batch");
  EXPECT_EQ(rewritten("2 * seq + 1"), "2*seq+1");
  EXPECT_EQ(rewritten("((2*(seq))+(1))"), "2*seq+1");
  EXPECT_EQ(rewritten("(a+b)+c"), "a+b+c");
  EXPECT_EQ(rewritten("a+(b+c)"), "a+(b+c)");
  EXPECT_EQ(rewritten("a-(b-c)"), "a-(b-c)");
  EXPECT_EQ(rewritten("(a+b)*(c-1)"), "(a+b)*(c-1)");
  EXPECT_EQ(rewritten("(h+2*1-3)//2+1"), "(h+2*1-3)//2+1");
  EXPECT_EQ(rewritten("a//(b*c)"), "a//(b*c)");
  EXPECT_EQ(rewritten("a//b*c"), "a//b*c");
  EXPECT_EQ(rewritten("-1*a--2"), "-1*a--2");
  EXPECT_EQ(rewritten("-9223372036854775808"), "-9223372036854775808");
}

TEST(Dimension, ItsTextParsesToTheSameExpression) {
  for (const char* text : {"a", "-3", "a-(b-c)//2", "a*(b//(c+1))-(d-e)", "_x1+B2"}) {
    const Dimension dimension = Dimension::parse(text);
    EXPECT_EQ(dimension.text(), text);
    EXPECT_EQ(Dimension::parse(dimension.text()), dimension);
  }
}

TEST(Dimension, IsBuiltFromPartsAsItIsParsed) {
  const Dimension seq = Dimension::symbol("seq");
  EXPECT_EQ(2 * seq + 1, Dimension::parse("2*seq+1"));
  EXPECT_EQ(Dimension::floor_divide(seq - 1, 2), Dimension::parse("(seq-1)//2"));
  EXPECT_EQ(Dimension(), Dimension::parse("0"));
  EXPECT_TRUE(seq.is_symbol());
  EXPECT_EQ(seq.symbol_name(), "seq");
  EXPECT_TRUE(Dimension(28).is_constant());
  EXPECT_EQ(Dimension(28).constant(), 28);
  EXPECT_FALSE((seq + 1).is_symbol());
  EXPECT_EQ(Dimension::parse("b*a+b").symbols(), (Names{"b", "a"}));
}

TEST(Dimension, Evaluates) {
  const auto value = [](const char* text) {
    return Dimension::parse(text).evaluate(sizes({{"a", 7}, {"b", -2}}));
  };
  EXPECT_EQ(value("2*a+1"), 15);
  EXPECT_EQ(value("a-b-1"), 8);
  EXPECT_EQ(value("a-(b-1)"), 10);
  EXPECT_EQ(value("a//2"), 3);
  EXPECT_EQ(value("a//b"), -4);
  EXPECT_EQ(value("-7//b"), 3);
  EXPECT_EQ(value("-7//2"), -4);
  EXPECT_EQ(value("-6//2"), -3);
  EXPECT_EQ(value("a//2*2"), 6);
  EXPECT_EQ(value("9223372036854775806+1"), 9223372036854775807);
}

TEST(Dimension, SaysWhatCannotBeEvaluated) {
  const auto evaluate = [](const char* text) {
    Dimension::parse(text).evaluate(sizes({{"n", std::int64_t{1} << 62}, {"zero", 0}}));
  };
  check_error<ArgumentError>([&] { evaluate("n+seq"); },
                             "dimension 'n+seq': the symbol 'seq' has no size");
  check_error<ArgumentError>([&] { evaluate("2*n"); },
                             "dimension '2*n': 2 * 4611686018427387904 does not fit into 64 bits");
  check_error<ArgumentError>(
      [&] { evaluate("n+n"); },
      "dimension 'n+n': 4611686018427387904 + 4611686018427387904 does not fit into 64 bits");
  check_error<ArgumentError>(
      [&] { evaluate("-3-n-n"); },
      "dimension '-3-n-n': -4611686018427387907 - 4611686018427387904 does not fit into 64 bits");
  check_error<ArgumentError>([&] { evaluate("n//zero"); },
                             "dimension 'n//zero': 4611686018427387904 // 0 divides by zero");
  check_error<ArgumentError>(
      [&] { evaluate("-9223372036854775808//-1"); },
      "dimension '-9223372036854775808//-1': -9223372036854775808 // -1 does not fit into 64 bits");
}

TEST(Dimension, SaysWhereTextIsWrong) {
  const auto expect_refused = [](std::string_view text, const std::string& fault) {
    check_error<FormatError>([&] { Dimension::parse(text); }, "dimension: cannot read " + fault);
  };
  expect_refused("", "'' at character 1; expected a number, a name or '('");
  expect_refused("a+", "'a+' at character 3; expected a number, a name or '('");
  expect_refused("a b", "'a b' at character 3; expected an operator or the end");
  expect_refused("a/b", "'a/b' at character 2; expected an operator or the end");
  expect_refused("(a", "'(a' at character 3; expected ')'");
  expect_refused("a)", "'a)' at character 2; expected an operator or the end");
  expect_refused("2x", "'2x' at character 2; expected an operator or the end");
  expect_refused("-a", "'-a' at character 1; expected a number of at most 64 bits");
  expect_refused("+1", "'+1' at character 1; expected a number, a name or '('");
  expect_refused("9223372036854775808",
                 "'9223372036854775808' at character 1; expected a number of at most 64 bits");
  expect_refused("a\xD0\xBA", "'a\xD0\xBA' at character 2; expected an operator or the end");
  check_error<ArgumentError>([] { Dimension::symbol("2x"); },
                             "dimension: not a symbol: '2x'; expected a letter or '_', then "
                             "letters, digits and '_', at most 64 in all");
}

TEST(Dimension, IsLimitedInDepthAndSize) {
  const std::string open(33, '(');
  check_error<FormatError>([&] { Dimension::parse(open + "a" + std::string(33, ')')); },
                           "dimension: cannot read '" + open +
                               "a)))))))))))))))))))))))))))))))))' at character 34; expected at "
                               "most 32 nested parentheses");
  EXPECT_EQ(rewritten(open.substr(1) + "a" + std::string(32, ')')), "a");
  check_error<FormatError>([] { Dimension::parse(std::string(1'000'000, '(')); },
                           "dimension: cannot read '" + std::string(80, '(') +
                               "...' at character 34; expected at most 32 nested parentheses");
  std::string sum = "a";
  for (int i = 0; i < 32; ++i) {
    sum += "+a";
  }
  check_error<FormatError>([&] { Dimension::parse(sum); },
                           "dimension: the expression is too large: 65 nodes in 33 levels; the "
                           "limits are 256 and 32");
  EXPECT_NO_THROW(Dimension::parse(sum.substr(2)));
  Dimension balanced = Dimension::symbol("a");
  for (int i = 0; i < 7; ++i) {
    balanced = balanced * balanced;
  }
  check_error<ArgumentError>(
      [&] {
        balanced + 1;
        balanced* balanced;
      },
      "dimension: the expression is too large: 257 nodes in 9 levels; the "
      "limits are 256 and 32");
}

TEST(Bindings, KeepOneSizeForEachSymbol) {
  Bindings bindings = sizes({{"a", 1}, {"b", 2}, {"a", 3}});
  EXPECT_EQ(bindings.find("a"), 3);
  EXPECT_EQ(bindings.find("b"), 2);
  EXPECT_EQ(bindings.find("c"), std::nullopt);
  EXPECT_EQ(bindings.all().size(), 2U);
}

}  // namespace
}  // namespace rondo::serialize
