#include "files/utf8.hpp"

#include <gtest/gtest.h>

namespace gothic::files {
namespace {

TEST(Utf8, CharactersStay) {
  for (const char* text : {"", "eta", "Σ disc", "größe", "日本", "\U0001F30C", "\x01\n"}) {
    EXPECT_EQ(valid_utf8(text), text);
  }
}

/// Bytes without a lead, leads without bytes, overlong forms, surrogates and what is above
/// U+10FFFF.
TEST(Utf8, OtherBytesBecomeQuestionMarks) {
  EXPECT_EQ(valid_utf8("a\x80z"), "a?z");
  EXPECT_EQ(valid_utf8("a\xc3"), "a?");
  EXPECT_EQ(valid_utf8("\xe2\x82z"), "??z");
  EXPECT_EQ(valid_utf8("\xc0\x80"), "??");
  EXPECT_EQ(valid_utf8("\xe0\x80\x80"), "???");
  EXPECT_EQ(valid_utf8("\xed\xa0\x80"), "???");
  EXPECT_EQ(valid_utf8("\xf4\x90\x80\x80"), "????");
  EXPECT_EQ(valid_utf8("\xff\xfe"), "??");
}

}  // namespace
}  // namespace gothic::files
