#include "files/toml.hpp"

#include "files/field_file.hpp"
#include "fixtures.hpp"

namespace gothic::files {
namespace {

std::string problem_of(const std::string& text) {
  return refusal_of([&] { parse_toml("file.toml", text); });
}

TEST(ParseToml, CharactersBeyondAsciiStandInQuotesAndComments) {
  for (const std::string text :
       {"\xEF\xBB\xBF# é\nname = \"é\" # é\nother = 'é\\é'\n",
        "name = \"\"\"é\n é \\n é \\\" é \\\n é\"\"\"\n", "\"é\" = 1\n'è'.a = [\"é\"]\n",
        "\xEF\xBB\xBF'é' = 1\n", "a = {b = \"\"\"é\"\"\"\"\", c = '''é'''', d = \"\"}  # \"é\n"}) {
    EXPECT_EQ(problem_of(text), "accepted") << text;
  }
}

TEST(ParseToml, StrayCharactersBeyondAsciiAreRefused) {
  for (const std::string line :
       {"é = 2", "a = 1 é", "a = \"x\" é", "a = \"\"\"x \\é\"\"\"", "a = \"\"\"x \\ é\"\"\"",
        "\"\"\"\"\\\xEF\xBB\xBA\\FF", "a = {b = \"\"\"x\"\"\"\", é = 1}", "a = 0.\"Ǡ",
        "a = 0.\"Ǡ\"", "a = x'Ǡ'", "a'b = 'Ǡ'", "[\"Ǡ\"\nx"}) {
    EXPECT_EQ(problem_of("x = 1\n" + line).find("file.toml:2: not valid TOML: "), 0U) << line;
  }
}

using Type = FieldPotential::Type;

class FieldFiles : public FolderTest {
 protected:
  FieldFile read(const std::string& text) const {
    put("field.toml", text);
    return read_field_file(file("field.toml"), 3);
  }
};

TEST_F(FieldFiles, NameEveryPotential) {
  const std::string text = R"(# A galaxy.
[[potential]]
type = "nfw"
scale_mass = 5
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
  const FieldFile hernquist = read("[[potential]]\ntype = 'hernquist'\nmass = 1\nscale = 1");
  EXPECT_EQ(hernquist.potentials[0].type, Type::hernquist);
  const FieldFile round = read("[[potential]]\ntype = 'logarithmic'\nspeed = 1\nscale = 1");
  EXPECT_EQ(round.potentials[0].flattening, 1);
}

TEST_F(FieldFiles, MayNameUnits) {
  const FieldFile found = read(
      "[units]\nlength_in_cm = 3.085678e21\nmass_in_g = 1.989e43\nvelocity_in_cm_per_s = 1e5\n"
      "[[potential]]\ntype = 'hernquist'\nmass = '2e10 Msun'\nscale = '50pc'\n"
      "center = ['2^-1 Mpc', 1, 0]\n");
  ASSERT_TRUE(found.units);
  EXPECT_EQ(found.units->mass_in_g, 1.989e43);
  EXPECT_DOUBLE_EQ(found.potentials[0].mass, 2);
  EXPECT_DOUBLE_EQ(found.potentials[0].scale, 0.05);
  EXPECT_DOUBLE_EQ(found.potentials[0].center[0], 500);
  EXPECT_FALSE(read("[[potential]]\ntype = 'hernquist'\nmass = 1\nscale = 1").units);
}

TEST_F(FieldFiles, AreRefusedWithTheLineAndTheKey) {
  const std::string none =
      ":1: potential: the file names no potential; add a table [[potential]] with its type";
  const std::string hernquist = "[[potential]]\ntype = 'hernquist'\n";
  const std::string one = hernquist + "mass = 1\nscale = 1\n";
  const std::string nfw = "[[potential]]\ntype = 'nfw'\n";
  const std::string disc = "[[potential]]\ntype = 'miyamoto_nagai'\nmass = 1\n";
  const std::string flat = "[[potential]]\ntype = 'logarithmic'\nspeed = 1\n";
  const std::string galactic =
      "[units]\nlength_in_cm = 3.085678e21\nmass_in_g = 1.989e43\nvelocity_in_cm_per_s = 1e5\n";
  const std::string center =
      ":5: potential.center: is not a list of three finite numbers; write center = [X, Y, Z]";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"", none},
      {"potential = 3", none},
      {"potential = []", none},
      {"[potential]\ntype = 'nfw'", none},
      {one + one + one, ""},
      {one + one + one + one, ":1: potential: there are 4; give at most 3"},
      {"[[potentials]]\ntype = 'nfw'",
       ":1: potentials: unknown key; did you mean 'potential'? Known are: units, potential"},
      {"[[potential]]\nmass = 1", ":1: potential.type: is missing; add it"},
      {"[[potential]]\ntype = 'hernquists'\nmass = 1",
       ":2: potential.type: unknown type 'hernquists'; did you mean 'hernquist'? Known are: nfw, "
       "hernquist, miyamoto_nagai, logarithmic"},
      {nfw + "mass = 1\nscale = 1",
       ":3: potential.mass: an nfw potential has no end and no total mass; give scale_mass (what "
       "mass meant here before), or m200 and concentration"},
      {nfw + "scale = 1", ":1: potential.scale_mass: is missing; add one of: scale_mass, m200"},
      {nfw + "m200 = 1\nscale_mass = 1",
       ":3: potential.m200: is given beside scale_mass; leave out one of them"},
      {nfw + "m200 = 1\nconcentration = 0.5",
       ":3: potential.m200: needs physical units; add [units], or give another mass and the scale"},
      {galactic + nfw + "m200 = 1\nconcentration = 0.5",
       ":8: potential.concentration: is 0.5; it must be from 1 to 1000"},
      {"[units]\nlength_in_cm = 1\nmass_in_g = 1\nvelocity_in_cm_per_s = 1e20\n" + one,
       ":3: units.mass_in_g: the units make the gravitational constant 6.672e-48; choose units of "
       "one system"},
      {hernquist + "mass = 1", ":1: potential.scale: is missing; add it"},
      {hernquist + "mass = 1\nscale = 1\nheight = 1",
       ":5: potential.height: unknown key of hernquist; use one of: type, center, mass, scale"},
      {hernquist + "mas = 1\nscale = 1",
       ":3: potential.mas: unknown key of hernquist; did you mean 'mass'? Known are: type, center, "
       "mass, scale"},
      {hernquist + "mass = '1'\nscale = 1", ""},
      {hernquist + "mass = 'one'\nscale = 1",
       ":3: potential.mass: is not a number; write one, or in quotes one with a unit: g, Msun"},
      {hernquist + "mass = '1e10 Msun'\nscale = 1",
       ":3: potential.mass: has a unit, but the file has model units; add [units]"},
      {hernquist + "mass = -1\nscale = 1", ":3: potential.mass: is -1; it must be positive"},
      {hernquist + "mass = 1\nscale = 0", ":4: potential.scale: is 0; it must be positive"},
      {hernquist + "mass = 1\nscale = nan",
       ":4: potential.scale: is not finite; write a finite number"},
      {disc + "scale = -1\nheight = 1", ":4: potential.scale: is -1; it must not be negative"},
      {disc + "scale = 1\nheight = 0", ":5: potential.height: is 0; it must be positive"},
      {flat + "scale = 1\nflattening = 0", ":5: potential.flattening: is 0; it must be positive"},
      {flat + "scale = 1\ncenter = 1", center},
      {flat + "scale = 1\ncenter = [1, 2]", center},
      {flat + "scale = 1\ncenter = [1, 2, 'three']", center},
      {flat + "scale = 1\ncenter = [1, 2, inf]", center},
      {flat + "scale = 1\ncenter = [1, 2, 3, 4]", center}};
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(refusal_of([this, &text = text] { read(text); }),
              message.empty() ? "accepted" : file("field.toml").string() + message);
  }
}

}  // namespace
}  // namespace gothic::files
