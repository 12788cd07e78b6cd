// Tests of the helpers for foreign text.
#include "serialize/text.h"

#include <gtest/gtest.h>

namespace rondo::serialize {
namespace {

TEST(Text, TellsWellFormedUtf8) {
  for (const char* good : {"", "plain", "\xC2\x80", "\xD0\xBA", "\xE0\xA0\x80", "\xED\x9F\xBF",
                           "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_TRUE(is_utf8(good)) << good;
  }
  for (const char* bad :
       {"\x80", "\xC0\xAF", "\xC1\xBF", "\xC2", "\xC2z", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xE2\x82",
        "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "ok\xE2\x82"}) {
    EXPECT_FALSE(is_utf8(bad)) << bad;
  }
}

TEST(Text, QuotesWhatAFileSays) {
  EXPECT_EQ(in_quotes("weights/0"), "'weights/0'");
  EXPECT_EQ(in_quotes("a\nb\xFF\xD0\xBA"), "'a\\x0ab\\xff\xD0\xBA'");
  EXPECT_EQ(in_quotes("abcdef", 6), "'abcdef'");
  EXPECT_EQ(in_quotes("abcdefg", 6), "'abcdef...'");
  EXPECT_EQ(in_quotes("abcde\xD0\xBA", 6), "'abcde...'");
}

}  // namespace
}  // namespace rondo::serialize
