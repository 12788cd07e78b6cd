// Texts that are no graphs; fuzz/graph_fuzz.cpp tries many more.
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/graph/graph.h"
#include "jit/initialize.h"
#include "tests/support/check_error.h"

namespace rondo {
namespace {

class ParseGraph : public testing::Test {
 protected:
  ParseGraph() { jit::initialize(); }

  static std::string with(const std::string& call) {
    return "method forward 1\n%1 = " + call + "\nreturn %1\n";
  }
};

TEST_F(ParseGraph, GivesTheTextBack) {
  const std::string text = with("softmax(%0; 0, None)  # model.py:3");
  EXPECT_EQ(print(parse_graph(text)), text);
}

TEST_F(ParseGraph, NoneStandsOnlyForWhatMayBeAbsent) {
  check_error<FormatError>(
      [] { parse_graph(with("softmax(%0; None, None)")); },
      "graph: line 2: expected an integer in range at 'None, None)\nreturn %'");
  check_error<FormatError>([] { parse_graph(with("permute(None; [])")); },
                           "graph: line 2: expected an operand at 'None; [])\nreturn %1\n'");
  const std::string bounds = with("clamp(%0, None, 1)");
  EXPECT_EQ(print(parse_graph(bounds)), bounds);
  const std::string indices = with("index_take(%0, None, %0)");
  EXPECT_EQ(print(parse_graph(indices)), indices);
}

TEST_F(ParseGraph, CountsOperands) {
  check_error<FormatError>(
      [] { parse_graph(with("relu(%0, %0)")); },
      "graph: line 2: expected as many operands as the op takes at '%0)\nreturn %1\n'");
  check_error<FormatError>(
      [] { parse_graph(with("add(%0)")); },
      "graph: line 2: expected as many operands as the op takes at ')\nreturn %1\n'");
}

}  // namespace
}  // namespace rondo
