#include "files/toml.hpp"

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

TEST(ParseToml, StrayCharactersBeyondAsciiAreRefused) {
  for (const std::string line :
       {"é = 2", "a = 1 é", "a = \"x\" é", "a = \"\"\"x \\é\"\"\"", "a = \"\"\"x \\ é\"\"\"",
        "\"\"\"\"\\\xEF\xBB\xBA\\FF", "a = {b = \"\"\"x\"\"\"\", é = 1}", "a = 0.\"Ǡ",
        "a = 0.\"Ǡ\"", "a = x'Ǡ'", "a'b = 'Ǡ'", "[\"Ǡ\"\nx"}) {
    EXPECT_EQ(problem_of("x = 1\n" + line).find("file.toml:2: not valid TOML: "), 0U) << line;
  }
}

}  // namespace
}  // namespace gothic::files
