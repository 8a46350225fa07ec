#include "files/field_file.hpp"

#include <fstream>

#include "files/error.hpp"
#include "fixtures.hpp"

namespace gothic::files {
namespace {

using Type = FieldPotential::Type;

class FieldFiles : public FolderTest {
 protected:
  FieldFile read(const std::string& text, std::size_t most = 3) const {
    std::ofstream(path_) << text;
    return read_field_file(path_, most);
  }

  /// Expects that the text is refused with "PATH" + message.
  void expect_error(const std::string& text, const std::string& message) const {
    try {
      read(text);
      FAIL() << "no error: " << text;
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), path_.string() + message);
    }
  }

  std::filesystem::path path_ = file("field.toml");
};

TEST_F(FieldFiles, NameEveryPotential) {
  const std::string text = R"(# A galaxy.
[[potential]]
type = "nfw"
mass = 5
scale = 2.5
center = [1, -2.5, 3]

[[potential]]
type = "miyamoto_nagai"
mass = 1e10
scale = 0
height = 0.25

[[potential]]
type = "logarithmic"
speed = 181.5
scale = 12
flattening = 0.75
)";
  const FieldFile found = read(text);
  EXPECT_EQ(found.text, text);
  ASSERT_EQ(found.potentials.size(), 3U);
  const FieldPotential &halo = found.potentials[0], &disc = found.potentials[1],
                       &flat = found.potentials[2];
  EXPECT_EQ(halo.type, Type::nfw);
  EXPECT_EQ(halo.mass, 5);
  EXPECT_EQ(halo.scale, 2.5);
  EXPECT_EQ(halo.center, (std::array{1.0, -2.5, 3.0}));
  EXPECT_EQ(disc.type, Type::miyamoto_nagai);
  EXPECT_EQ(disc.scale, 0);
  EXPECT_EQ(disc.height, 0.25);
  EXPECT_EQ(disc.center, (std::array{0.0, 0.0, 0.0}));
  EXPECT_EQ(flat.type, Type::logarithmic);
  EXPECT_EQ(flat.speed, 181.5);
  EXPECT_EQ(flat.flattening, 0.75);
  EXPECT_EQ(read("[[potential]]\ntype = 'hernquist'\nmass = 1\nscale = 1").potentials[0].type,
            Type::hernquist);
  EXPECT_EQ(
      read("[[potential]]\ntype = 'logarithmic'\nspeed = 1\nscale = 1").potentials[0].flattening,
      1);
}

TEST_F(FieldFiles, ThatAreMissingOrNoTomlAreRefused) {
  EXPECT_THROW(read_field_file(file("none.toml"), 1), InputError);
  EXPECT_THROW(read_field_file(folder_, 1), InputError);
  try {
    read("[[potential]]\ntype = nfw\n");
    FAIL() << "no error";
  } catch (const InputError& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with(path_.string() + ":2: not valid TOML: ")) << message;
    EXPECT_TRUE(message.ends_with("; correct the line")) << message;
  }
}

TEST_F(FieldFiles, ThatNameNoPotentialOrTooManyAreRefused) {
  const std::string none =
      "potential: the file names no potential; add a table [[potential]] with "
      "its type";
  expect_error("", ":1: " + none);
  expect_error("potential = 3", ":1: " + none);
  expect_error("potential = []", ":1: " + none);
  expect_error("[potential]\ntype = 'nfw'", ":1: " + none);
  const std::string one = "[[potential]]\ntype = 'hernquist'\nmass = 1\nscale = 1\n";
  EXPECT_NO_THROW(read(one + one + one));
  expect_error(one + one + one + one, ":1: potential: there are 4; give at most 3");
  expect_error("[[potentials]]\ntype = 'nfw'",
               ":1: potentials: unknown key; did you mean 'potential'? Known are: potential");
}

TEST_F(FieldFiles, WithBadKeysAreRefused) {
  const std::string nfw = "[[potential]]\ntype = 'nfw'\n";
  expect_error("[[potential]]\nmass = 1", ":1: potential.type: is missing; add it");
  expect_error("[[potential]]\ntype = 'hernquists'\nmass = 1",
               ":2: potential.type: unknown type 'hernquists'; did you mean 'hernquist'? Known "
               "are: nfw, hernquist, miyamoto_nagai, logarithmic");
  expect_error(nfw + "mass = 1", ":1: potential.scale: is missing; add it");
  expect_error(nfw + "mass = 1\nscale = 1\nheight = 1",
               ":5: potential.height: unknown key of nfw; use one of: type, center, mass, scale");
  expect_error(nfw + "mas = 1\nscale = 1",
               ":3: potential.mas: unknown key of nfw; did you mean 'mass'? Known are: type, "
               "center, mass, scale");
  expect_error(nfw + "mass = '1'\nscale = 1",
               ":3: potential.mass: is not a number; write one without quotes");
  expect_error(nfw + "mass = -1\nscale = 1", ":3: potential.mass: is -1; it must be positive");
  expect_error(nfw + "mass = 1\nscale = 0", ":4: potential.scale: is 0; it must be positive");
  expect_error(nfw + "mass = 1\nscale = nan",
               ":4: potential.scale: is not finite; write a finite number");
}

TEST_F(FieldFiles, WithNumbersOutOfRangeAreRefused) {
  const std::string disc = "[[potential]]\ntype = 'miyamoto_nagai'\nmass = 1\n";
  expect_error(disc + "scale = -1\nheight = 1",
               ":4: potential.scale: is -1; it must not be negative");
  expect_error(disc + "scale = 1\nheight = 0", ":5: potential.height: is 0; it must be positive");
  const std::string flat = "[[potential]]\ntype = 'logarithmic'\nspeed = 1\n";
  expect_error(flat + "scale = 0", ":4: potential.scale: is 0; it must be positive");
  expect_error(flat + "scale = 1\nflattening = 0",
               ":5: potential.flattening: is 0; it must be positive");
  const std::string center =
      ":5: potential.center: is not a list of three finite numbers; write center = [X, Y, Z]";
  for (const char* const value : {"1", "[1, 2]", "[1, 2, '3']", "[1, 2, inf]", "[1, 2, 3, 4]"}) {
    std::string text = flat;
    text.append("scale = 1\ncenter = ").append(value);
    expect_error(text, center);
  }
}

}  // namespace
}  // namespace gothic::files
