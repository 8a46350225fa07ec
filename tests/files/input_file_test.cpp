#include "files/input_file.hpp"

#include <sys/stat.h>

#include <fstream>

#include "files/error.hpp"
#include "fixtures.hpp"

namespace gothic::files {
namespace {

class TextFiles : public FolderTest {
 protected:
  void expect_error(const std::filesystem::path& path, const std::string& message) const {
    try {
      read_text(path, "words");
      FAIL() << "no error: " << path;
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), path.string() + ": words: " + message);
    }
  }
};

TEST_F(TextFiles, AreReadAsTheyAre) {
  const std::string text("two\r\nlines and \0 more", 21);
  std::ofstream(file("words"), std::ios::binary) << text;
  EXPECT_EQ(read_text(file("words"), "words"), text);
  std::ofstream(file("words"), std::ios::trunc).close();
  EXPECT_EQ(read_text(file("words"), "words"), "");
}

TEST_F(TextFiles, MayBeLinks) {
  std::ofstream(file("words")) << "words";
  std::filesystem::create_symlink("words", file("link"));
  EXPECT_EQ(read_text(file("link"), "words"), "words");
}

TEST_F(TextFiles, ThatAreMissingAreRefused) {
  const std::string message = "there is no such file; check the name";
  expect_error(file("none"), message);
  expect_error(file(std::string(1000, 'x')), message);
  std::filesystem::create_symlink("link", file("link"));
  expect_error(file("link"), message);
}

TEST_F(TextFiles, ThatAreNoFilesAreRefused) {
  expect_error(folder_, "is a folder; give the name of a file");
  const std::string message = "is a device or a pipe; give the name of a file";
  expect_error("/dev/zero", message);
  ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
  expect_error(file("pipe"), message);
}

TEST_F(TextFiles, MayNotBeLong) {
  std::ofstream(file("words")).close();
  std::filesystem::resize_file(file("words"), longest_text);
  EXPECT_EQ(read_text(file("words"), "words").size(), longest_text);
  std::filesystem::resize_file(file("words"), longest_text + 1);
  expect_error(file("words"),
               "has 67108865 bytes, and at most 67108864 are read; give the name of a text file");
}

}  // namespace
}  // namespace gothic::files
