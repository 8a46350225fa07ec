#include "files/text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace gothic::files {
namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Text, PrefixesKeepNumbersShort) {
  EXPECT_EQ(with_prefix(0), "0");
  EXPECT_EQ(with_prefix(0.25), "0.25");
  EXPECT_EQ(with_prefix(999.4), "999");
  EXPECT_EQ(with_prefix(999.6), "1 k");
  EXPECT_EQ(with_prefix(-12345), "-12.3 k");
  EXPECT_EQ(with_prefix(3.4e9), "3.4 G");
  EXPECT_EQ(with_prefix(1e20), "1e+05 P");
  EXPECT_EQ(with_prefix(no_number), "?");
}

TEST(Text, DurationsHaveTheirTwoLargestUnits) {
  EXPECT_EQ(duration(0), "0 s");
  EXPECT_EQ(duration(2.5e-5), "25 us");
  EXPECT_EQ(duration(0.0123), "12.3 ms");
  EXPECT_EQ(duration(1.234), "1.23 s");
  EXPECT_EQ(duration(42.4), "42 s");
  EXPECT_EQ(duration(59.6), "1 min 00 s");
  EXPECT_EQ(duration(61), "1 min 01 s");
  EXPECT_EQ(duration(3599.6), "1 h 00 min");
  EXPECT_EQ(duration(3661), "1 h 01 min");
  EXPECT_EQ(duration(86399), "1 d 00 h");
  EXPECT_EQ(duration(1e6), "11 d 14 h");
  EXPECT_EQ(duration(no_number), "?");
  EXPECT_EQ(duration(infinity), "?");
}

TEST(Text, BytesThatAreNoUtf8BecomeQuestionMarks) {
  for (const char* text : {"", "eta", "Σ disc", "größe", "日本", "\U0001F30C", "\x01\n"}) {
    EXPECT_EQ(valid_utf8(text), text);
  }
  EXPECT_EQ(valid_utf8("a\x80z"), "a?z");
  EXPECT_EQ(valid_utf8("a\xc3"), "a?");
  EXPECT_EQ(valid_utf8("\xff\xfe"), "??");
}

}  // namespace
}  // namespace gothic::files
