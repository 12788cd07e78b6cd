// Tests of the JSON layer: what it reads and prints, its limits, and errors that name the field.
#include "serialize/json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "core/base/error.h"
#include "tests/support/check_error.h"

namespace rondo::serialize {
namespace {

constexpr JsonLimits kLimits{.max_bytes = 10'000, .max_depth = 4, .max_values = 20};

Json parse(std::string_view text) {
  return parse_json(text, "test", kLimits);
}

void expect_refused(std::string_view text, const std::string& fault) {
  check_error<FormatError>([&] { parse(text); }, "test: " + fault);
}

TEST(Json, ReadsEachKindOfValue) {
  const Json json = parse(R"({"b": [1, -2, 0.5, true, null], "a": {"text": "\u00e9\n"}})");
  const Json expected(Json::Object{
      {"b", Json::List{1, -2, 0.5, true, Json()}},
      {"a", Json::Object{{"text", "\xC3\xA9\n"}}},
  });
  EXPECT_EQ(json, expected);
}

TEST(Json, PrintsWhatItReads) {
  const std::string line = R"({"b":[1,-2,0.1,1e+300,true,null],"a":{},"c":[],"t":"\"\u0001\n"})";
  EXPECT_EQ(print_json(parse(line), false), line);
  EXPECT_EQ(parse(print_json(parse(line), true)), parse(line));
}

TEST(Json, IndentsForPeopleButKeepsPlainListsOnALine) {
  EXPECT_EQ(print_json(parse(R"({"shape":[1,2],"list":[{"a":1},[]],"empty":{}})"), true),
            "{\n \"shape\": [1, 2],\n \"list\": [\n  {\n   \"a\": 1\n  },\n  []\n ],\n"
            " \"empty\": {}\n}");
}

TEST(Json, RefusesToPrintWhatIsNotJson) {
  check_error<ArgumentError>(
      [] { print_json(Json(std::numeric_limits<double>::infinity()), false); },
      "json: not a finite number: inf");
  check_error<ArgumentError>([] { print_json(Json("\xFF"), false); }, "json: not UTF-8: '\\xff'");
}

TEST(Json, RefusesARepeatedKeyAtAnyDepth) {
  expect_refused(R"({"a": 1, "b": 2, "a": 3})", "the key 'a' appears twice in an object");
  expect_refused(R"([{"x": {"k": 1, "\u006b": 2}}])", "the key 'k' appears twice in an object");
}

TEST(Json, RefusesWhatPassesTheLimits) {
  EXPECT_NO_THROW(parse("[[[[1]]]]"));
  expect_refused("[[[[[1]]]]]", "nested deeper than 4 levels");
  expect_refused("[{\"a\": [{\"b\": []}]}]", "nested deeper than 4 levels");
  EXPECT_NO_THROW(parse("[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]"));
  expect_refused("[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]", "more than 20 values");
  expect_refused(std::string(10'001, ' '), "too long: 10001 bytes; the limit is 10000");
}

TEST(Json, RefusesNumbersThatDoNotFit) {
  EXPECT_EQ(parse("9223372036854775807"), Json(std::numeric_limits<std::int64_t>::max()));
  EXPECT_EQ(parse("-9223372036854775808"), Json(std::numeric_limits<std::int64_t>::min()));
  expect_refused("9223372036854775808", "the number 9223372036854775808 does not fit into 64 bits");
  expect_refused("-9223372036854775809",
                 "the number -9223372036854775809 does not fit into 64 bits");
  expect_refused("1e400", "number overflow parsing '1e400'");
  expect_refused(R"({"inputs": [{}, {"name": "x", "data": [2, 1e400]}]})",
                 "inputs[1].data[1]: number overflow parsing '1e400'");
  expect_refused(R"({"shape": [3, 9223372036854775808]})",
                 "shape[1]: the number 9223372036854775808 does not fit into 64 bits");
}

TEST(Json, RefusesMalformedText) {
  expect_refused("",
                 "parse error at line 1, column 1: syntax error while parsing value - "
                 "unexpected end of input; expected '[', '{', or a literal");
  expect_refused("{\"a\": 1,}",
                 "parse error at line 1, column 9: syntax error while parsing "
                 "object key - unexpected '}'; expected string literal");
  for (const char* text : {"[1, 2", "{\"a\"}", "[1] [2]", "NaN", "// no\n1", "'a'", "01", "\"\\x\"",
                           "\"\xFF\"", "\"\\ud800\"", "\"a\nb\"", "{1: 2}", "[1,]", "\"open"}) {
    EXPECT_THROW(parse(text), FormatError) << text;
  }
}

TEST(Json, KeepsForeignBytesOutOfErrorTexts) {
  try {
    parse("[\"" + std::string(5'000, 'x') + "\x01\xFF");
    ADD_FAILURE() << "no error";
  } catch (const FormatError& error) {
    const std::string text = error.what();
    EXPECT_LT(text.size(), 320U);
    EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return c >= ' '; })) << text;
  }
}

class JsonViewTest : public ::testing::Test {
 protected:
  Json json_ = parse(R"({"methods": [{"name": "forward", "shape": "x"}, 7], "ok": true, "n": 5})");
  JsonView view_{json_, "manifest"};
};

TEST_F(JsonViewTest, GetsValues) {
  EXPECT_EQ(view_.at("methods").as_list()[0].at("name").as_text(), "forward");
  EXPECT_TRUE(view_.at("ok").as_bool());
  EXPECT_EQ(view_.at("n").as_integer(0, 5), 5);
  EXPECT_FALSE(view_.find("absent").has_value());
  EXPECT_EQ(view_.as_object()[2].first, "n");
  view_.allow_only({"methods", "ok", "n", "more"});
}

TEST_F(JsonViewTest, NamesTheFieldAndWhatItHolds) {
  const JsonView method = view_.at("methods").as_list()[0];
  check_error<FormatError>([&] { method.at("shape").as_list(); },
                           "manifest: methods[0].shape: expected a list, got 'x'");
  check_error<FormatError>([&] { method.at("dtype"); },
                           "manifest: methods[0]: the field 'dtype' is missing");
  check_error<FormatError>([&] { method.allow_only({"name"}); },
                           "manifest: methods[0]: the field 'shape' is unknown");
  check_error<FormatError>([&] { view_.at("methods").as_list()[1].find("x"); },
                           "manifest: methods[1]: expected an object, got 7");
  check_error<FormatError>([&] { view_.at("methods").as_text(); },
                           "manifest: methods: expected text, got a list");
  check_error<FormatError>([&] { view_.at("n").as_integer(6, 9); },
                           "manifest: n: expected an integer from 6 to 9, got 5");
  check_error<FormatError>([&] { view_.at("ok").as_integer(0, 1); },
                           "manifest: ok: expected an integer, got true");
  check_error<FormatError>([&] { view_.at("n").as_bool(); },
                           "manifest: n: expected true or false, got 5");
  check_error<FormatError>([&] { view_.as_list(); }, "manifest: expected a list, got an object");
  check_error<FormatError>([&] { view_.fail("no"); }, "manifest: no");
}

}  // namespace
}  // namespace rondo::serialize
