#include "files/text.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <limits>

#include "files/input_file.hpp"
#include "files/units.hpp"
#include "fixtures.hpp"

namespace gothic::files {
namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

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
  EXPECT_EQ(duration(std::numeric_limits<double>::infinity()), "?");
}

TEST(Text, BytesThatAreNoUtf8BecomeQuestionMarks) {
  for (const char* text : {"", "eta", "Σ disc", "größe", "日本", "\U0001F30C", "\x01\n"}) {
    EXPECT_EQ(valid_utf8(text), text);
  }
  EXPECT_EQ(valid_utf8("a\x80z"), "a?z");
  EXPECT_EQ(valid_utf8("a\xc3"), "a?");
  EXPECT_EQ(valid_utf8("\xff\xfe"), "??");
}

using TextFile = FolderTest;

TEST_F(TextFile, IsReadAsItIs) {
  const std::string text("two\r\nlines and \0 more", 21);
  put("words", text);
  EXPECT_EQ(read_text(file("words"), "words"), text);
  std::filesystem::create_symlink("words", file("link"));
  EXPECT_EQ(read_text(file("link"), "words"), text);
  put("words", "");
  EXPECT_EQ(read_text(file("words"), "words"), "");
}

TEST_F(TextFile, MustBeAFileThatIsNotTooLong) {
  const auto expect_refused = [](const std::filesystem::path& path, const std::string& message) {
    EXPECT_EQ(refusal_of([&] { read_text(path, "words"); }), path.string() + ": words: " + message);
  };
  std::filesystem::create_symlink("link", file("link"));
  for (const std::string& name :
       {std::string("none"), std::string(1000, 'x'), std::string("link")}) {
    expect_refused(file(name), "there is no such file; check the name");
  }
  expect_refused(folder_, "is a folder; give the name of a file");
  ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
  for (const std::filesystem::path& path : {std::filesystem::path("/dev/zero"), file("pipe")}) {
    expect_refused(path, "is a device or a pipe; give the name of a file");
  }
  put("words", "");
  std::filesystem::resize_file(file("words"), longest_text + 1);
  expect_refused(file("words"),
                 "has 67108865 bytes, and at most 67108864 are read; give the name of a text file");
}

TEST_F(TextFile, MustBeInAFolderThatMayBeOpened) {
  std::filesystem::create_directory(file("closed"));
  put("closed/words", "");
  std::filesystem::permissions(file("closed"), std::filesystem::perms::none);
  const uid_t own = ::geteuid();
  if (own == 0) {
    ASSERT_EQ(::seteuid(65534), 0);  // root may open all folders
  }
  const std::string refusal = refusal_of([&] { read_text(file("closed/words"), "words"); });
  ASSERT_EQ(::seteuid(own), 0);
  std::filesystem::permissions(file("closed"), std::filesystem::perms::owner_all);
  EXPECT_EQ(
      refusal,
      file("closed/words").string() +
          ": words: is in a folder without permission to open it; make the folder accessible");
}

TEST(Units, ModelUnitsHaveGravitationalConstantOne) {
  EXPECT_EQ(Units{}.gravitational_constant(), 1.0);
  EXPECT_EQ(Units{}.time_in_s(), 1.0);
}

TEST(Units, GravitationalConstantOfGalacticUnits) {
  const Units kilometre_per_second{kiloparsec, 1e10 * solar_mass, 1e5};
  EXPECT_NEAR(kilometre_per_second.gravitational_constant() / 43007.1, 1.0, 1e-6);
  EXPECT_NEAR(kilometre_per_second.time_in_s() / 3.0857e16, 1.0, 1e-4);
}

TEST(Text, DigestIsFnv1a) {
  EXPECT_EQ(digest(""), "cbf29ce484222325");
  EXPECT_EQ(digest("a"), "af63dc4c8601ec8c");
  EXPECT_EQ(digest("foobar"), "85944171f73967e8");
}

TEST(Text, NearWordsDifferByALetterOrASwapForEachThreeLetters) {
  const std::vector<std::string_view> known = {"input", "steps", "stop-after", "eta"};
  EXPECT_EQ(nearest("inptu", known), "input");
  EXPECT_EQ(nearest("stpes", known), "steps");
  EXPECT_EQ(nearest("step", known), "steps");
  EXPECT_EQ(nearest("stopafter", known), "stop-after");
  EXPECT_EQ(nearest("inpt", known), "input");
  EXPECT_EQ(nearest("tniup", known), "");
  EXPECT_EQ(nearest("", known), "");
}

}  // namespace
}  // namespace gothic::files
