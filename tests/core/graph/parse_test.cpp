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
}

}  // namespace
}  // namespace rondo
