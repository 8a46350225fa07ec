#include "files/toml_text.hpp"

#include <gtest/gtest.h>

#include <string>

#include "files/error.hpp"

namespace gothic::files {
namespace {

std::string problem_of(const std::string& text) {
  try {
    parse_toml("file.toml", text);
    return {};
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(ParseToml, CharactersBeyondAsciiStandInQuotesAndComments) {
  EXPECT_EQ(problem_of("\xEF\xBB\xBF# é\nname = \"é\" # é\nother = 'é\\é'\n"), "");
  EXPECT_EQ(problem_of("name = \"\"\"é\n é \\n é \\\" é\"\"\"\n"), "");
  EXPECT_EQ(problem_of("\"é\" = 1\n'è'.a = [\"é\"]\n"), "");
  EXPECT_EQ(problem_of("\xEF\xBB\xBF'é' = 1\n"), "");
  EXPECT_EQ(problem_of("a = {b = \"\"\"é\"\"\"\"\", c = '''é'''', d = \"\"}  # \"é\n"), "");
}

/// The behaviour of toml++ 3.3 is undefined for these.
TEST(ParseToml, StrayCharactersBeyondAsciiAreRefused) {
  const std::string refused =
      ": not valid TOML: a character that is not ASCII is neither in quotes nor in a comment, or "
      "follows a backslash; correct the line";
  EXPECT_EQ(problem_of("a = 1\né = 2\n"), "file.toml:2" + refused);
  EXPECT_EQ(problem_of("a = 1 é\n"), "file.toml:1" + refused);
  EXPECT_EQ(problem_of("a = \"x\" é\n"), "file.toml:1" + refused);
  EXPECT_EQ(problem_of("\n\na = \"\"\"x \\é\"\"\"\n"), "file.toml:3" + refused);
  EXPECT_EQ(problem_of("a = \"\"\"x \\ é\"\"\"\n"), "file.toml:1" + refused);
  EXPECT_EQ(problem_of("a = \"\"\"x \\\n  é\"\"\"\n"), "file.toml:2" + refused);
  EXPECT_EQ(problem_of("\"\"\"\"\\\xEF\xBB\xBA\\FF"), "file.toml:1" + refused);
  EXPECT_EQ(problem_of("a = {b = \"\"\"x\"\"\"\", é = 1}\n"), "file.toml:1" + refused);
}

/// What is in quotes is not certain there, and that toml++ 3.3 reads it is undefined.
TEST(ParseToml, CharactersBeyondAsciiAreRefusedInWhatIsNoToml) {
  for (const std::string text :
       {"a = 0.\"Ǡ", "a = 0.\"Ǡ\"", "a = x'Ǡ'", "a'b = 'Ǡ'", "[\"Ǡ\"\nx"}) {
    EXPECT_EQ(problem_of(text).find("file.toml:1: not valid TOML: "), 0U) << text;
  }
}

}  // namespace
}  // namespace gothic::files
