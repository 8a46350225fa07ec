#include "files/json_line.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace gothic::files {
namespace {

std::string text_of(std::string_view value) { return JsonLine().put("x", value).text(); }

TEST(JsonLine, HoldsNamesAndValuesInTheirOrder) {
  EXPECT_EQ(JsonLine().text(), "{}");
  EXPECT_EQ(JsonLine().put("b", 1).put("a", "word").put("c", 0.1).text(),
            R"({"b": 1, "a": "word", "c": 0.1})");
}

TEST(JsonLine, KeepsWholeNumbersWhole) {
  EXPECT_EQ(JsonLine().put("x", std::numeric_limits<std::int64_t>::min()).text(),
            R"({"x": -9223372036854775808})");
  EXPECT_EQ(JsonLine().put("x", std::numeric_limits<std::uint64_t>::max()).text(),
            R"({"x": 18446744073709551615})");
}

TEST(JsonLine, HasNullForWhatIsNoNumber) {
  for (const double value :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(JsonLine().put("x", value).text(), R"({"x": null})");
  }
  EXPECT_EQ(JsonLine().put_null("x").text(), R"({"x": null})");
  EXPECT_EQ(JsonLine().put("x", 1e300).text(), R"({"x": 1e+300})");
  EXPECT_EQ(JsonLine().put("x", -0.5).text(), R"({"x": -0.5})");
}

TEST(JsonLine, EscapesWhatMayNotStandInAString) {
  EXPECT_EQ(text_of("a \"b\" \\c\n\t"), R"({"x": "a \"b\" \\c\u000a\u0009"})");
  EXPECT_EQ(text_of(std::string_view("\0\x1f\x7f", 3)), "{\"x\": \"\\u0000\\u001f\x7f\"}");
  EXPECT_EQ(JsonLine().put("a\"b", 1).text(), R"({"a\"b": 1})");
}

TEST(JsonLine, KeepsCharactersOfUtf8) {
  for (const std::string text : {"\u00e9", "\u20ac", "\U0001f600", "\ufffd", "\U0010ffff"}) {
    EXPECT_EQ(text_of("a" + text + "b"), "{\"x\": \"a" + text + "b\"}");
  }
}

TEST(JsonLine, ReplacesBytesThatAreNotUtf8) {
  EXPECT_EQ(text_of("a\xff"), R"({"x": "a\ufffd"})");
  EXPECT_EQ(text_of("\xe9t\xe9"), R"({"x": "\ufffdt\ufffd"})");          // Latin-1
  EXPECT_EQ(text_of("\xc0\xaf"), R"({"x": "\ufffd\ufffd"})");            // too long a form
  EXPECT_EQ(text_of("\xed\xa0\x80"), R"({"x": "\ufffd\ufffd\ufffd"})");  // a surrogate
  EXPECT_EQ(text_of("\xf4\x90\x80\x80"), R"({"x": "\ufffd\ufffd\ufffd\ufffd"})");
  EXPECT_EQ(text_of("\xe2\x82"), R"({"x": "\ufffd\ufffd"})");  // cut short
}

}  // namespace
}  // namespace gothic::files
