#include "ic/model.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "files/error.hpp"

namespace gothic::ic {
namespace {

/// A component on lines 1 to 4, then `lines`.
std::string component_text(const std::string& profile, const std::string& lines,
                           const std::string& name = "a") {
  return "[[component]]\nname = \"" + name + "\"\nprofile = \"" + profile + "\"\nmass = 1\n" +
         lines;
}

Component first_of(const std::string& text) {
  return parse_model(text, "m.toml").components.front();
}

/// The message of the InputError that `read` throws.
template <class Read>
std::string error_of(Read&& read) {
  try {
    read();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

const std::string plummer = component_text("plummer", "scale = 1\n");
const std::string disc = "scale = 3\nheight = 0.3\n";

TEST(Model, HasUnitsAndASoftening) {
  const Model model = parse_model(
      "softening = 0.25\n[units]\nlength_in_cm = 2\nmass_in_g = 3\nvelocity_in_cm_per_s = 4\n" +
          component_text("nfw", "scale = 1.5\ncutoff = 5.0\ncutoff_width = 0.5\n"),
      "m.toml");
  EXPECT_EQ(model.softening, 0.25);
  EXPECT_EQ(model.units, (files::Units{2, 3, 4}));
  EXPECT_EQ(parse_model(plummer, "m.toml").units, files::Units{});
  ASSERT_EQ(model.components.size(), 1U);
  const Component& halo = model.components.front();
  EXPECT_EQ(halo.name, "a");
  EXPECT_EQ(halo.profile, "nfw");
  EXPECT_EQ(halo.kind, Kind::sphere);
  EXPECT_EQ(halo.mass, 1);
  EXPECT_EQ(halo.scale, 1.5);
  EXPECT_EQ(halo.cutoff, 5);
  EXPECT_EQ(halo.cutoff_width, 0.5);
  EXPECT_EQ(halo.type, 1);
}

TEST(Model, QuantitiesHaveUnits) {
  const std::string units =
      "softening = '20pc'\n[units]\nlength_in_cm = 3.085678e21\nmass_in_g = 1.989e43\n"
      "velocity_in_cm_per_s = 1e5\n";
  const std::string thick =
      "[[component]]\nname = 'a'\nprofile = 'exponential_disc'\nmass = '1e10 Msun'\n"
      "scale = '3 kpc'\nheight = '900 pc'\nsigma_r = '140 km/s'\n";
  const Model model = parse_model(units + thick, "m.toml");
  EXPECT_DOUBLE_EQ(model.softening, 0.02);
  const Component& found = model.components.front();
  EXPECT_DOUBLE_EQ(found.mass, 1);
  EXPECT_DOUBLE_EQ(found.scale, 3);
  EXPECT_DOUBLE_EQ(found.disc.height, 0.9);
  EXPECT_DOUBLE_EQ(found.disc.sigma_r, 140);
  EXPECT_EQ(error_of([&] { parse_model(thick, "m.toml"); }),
            "m.toml:5: component.scale: has a unit, but the file has model units; add [units]");
}

TEST(Model, SpheresHaveAShareAndAnAnisotropy) {
  const std::string keys = "scale = 2\nsoftening = 0.1\nshare = 0.25\nanisotropy_radius = 3\n";
  const Component a =
      first_of(component_text("plummer", keys) + component_text("plummer", "scale = 1", "b"));
  EXPECT_EQ(a.softening, 0.1);
  EXPECT_EQ(a.share, 0.25);
  EXPECT_EQ(a.anisotropy_radius, 3);
}

TEST(Model, DiscsHaveAHeightAndADispersion) {
  const Component a = first_of(component_text("exponential_disc", disc + "toomre_q = 1.5\n"));
  EXPECT_EQ(a.kind, Kind::disc);
  EXPECT_EQ(a.type, 4);
  EXPECT_EQ(a.disc.height, 0.3);
  EXPECT_EQ(a.disc.toomre_q, 1.5);
  EXPECT_EQ(a.disc.toomre_q_radius, 3);
  const Component b = first_of(
      component_text("sersic_disc", disc + "n = 2\nsigma_r = 40\nretrograde = 0.1\ntype = 2\n"));
  EXPECT_EQ(b.type, 2);
  EXPECT_EQ(b.disc.toomre_q, 0);
  EXPECT_EQ(b.disc.sigma_r, 40);
  EXPECT_EQ(b.disc.retrograde, 0.1);
}

TEST(Model, BlackHolesHaveTheirSofteningOrTheModels) {
  const Component hole = first_of("softening = 0.5\n" + component_text("black_hole", ""));
  EXPECT_EQ(hole.kind, Kind::black_hole);
  EXPECT_EQ(hole.type, 5);
  EXPECT_EQ(hole.softening, 0);
  EXPECT_EQ(hole.scale, 0.5);
  EXPECT_EQ(first_of("softening = 0.5\n" + component_text("black_hole", "softening = 0.1")).scale,
            0.1);
}

TEST(Model, ExamplesAreGood) {
  for (const std::string name :
       {"nfw", "plummer", "hernquist", "king", "m31", "milky_way", "early_type"}) {
    const Model model = read_model(MODEL_FOLDER "/" + name + ".toml");
    const bool is_galaxy = model.components.size() > 1;
    EXPECT_NEAR(model.units.gravitational_constant(), is_galaxy ? 43007.1 : 1, 1) << name;
    EXPECT_TRUE(is_galaxy || model.components.front().profile == name) << name;
  }
}

TEST(Model, MustExist) {
  EXPECT_EQ(error_of([] { read_model("nowhere.toml"); }),
            "nowhere.toml: model: there is no such file; check the name");
}

TEST(Model, MustBeToml) {
  EXPECT_TRUE(error_of([] {
                first_of(plummer + "type = = 3\n");
              }).starts_with("m.toml:6: not valid TOML: "));
}

struct Wrong {
  std::string text, message;  ///< text of the file; message after the file's name and a colon
};

class WrongModel : public ::testing::TestWithParam<Wrong> {};

TEST_P(WrongModel, IsRefused) {
  EXPECT_EQ(error_of([] { first_of(GetParam().text); }), "m.toml:" + GetParam().message);
}

const std::string no_components =
    "1: component: the model has none; add a table [[component]] for each";
const std::string no_cutoff =
    "1: component.cutoff: is missing; the profile reaches too far out without, add cutoff and "
    "cutoff_width";

INSTANTIATE_TEST_SUITE_P(
    Files, WrongModel,
    ::testing::Values(
        Wrong{"softening = 1\n", no_components}, Wrong{"component = []\n", no_components},
        Wrong{"softening = 0\n" + plummer, "1: softening: is 0; it must be positive"},
        Wrong{"softning = 1\n" + plummer,
              "1: softning: unknown key; did you mean 'softening'? Known are: name, softening, "
              "units, "
              "component"},
        Wrong{"units = 3\n" + plummer, "1: units: is not a table; write [units]"},
        Wrong{"[units]\nmass = 1\n" + plummer,
              "2: units.mass: unknown key; use one of: length_in_cm, mass_in_g, "
              "velocity_in_cm_per_s"},
        Wrong{"[units]\nlength_in_cm = 1\n" + plummer, "1: units.mass_in_g: is missing; add it"},
        Wrong{plummer + plummer,
              "7: component.name: 'a' is used twice; give every component its own"},
        Wrong{component_text("plummer", "scale = 1\n", "a,b"),
              "2: component.name: 'a,b' has a comma or =, which divide lists of components; choose "
              "another"},
        Wrong{component_text("plummer", "scale = 1\nshare = 0.5\n") +
                  component_text("plummer", "scale = 1\nshare = 0.7\n", "b") +
                  component_text("plummer", "scale = 1\n", "c"),
              "13: component.share: the shares sum to 1.2; leave something for the components "
              "without"}));

INSTANTIATE_TEST_SUITE_P(
    Components, WrongModel,
    ::testing::Values(
        Wrong{"[[component]]\nname = 3\n", "2: component.name: is not a text; write it in quotes"},
        Wrong{component_text("hernqvist", ""),
              "3: component.profile: unknown profile 'hernqvist'; did you mean 'hernquist'? Known "
              "are: plummer, king, hernquist, nfw, burkert, moore, einasto, double_power, sersic, "
              "table, black_hole, exponential_disc, sersic_disc, table_disc"},
        Wrong{component_text("plummer", "scale = 1\nw0 = 3\n"),
              "6: component.w0: unknown key of plummer; use one of: name, profile, mass, scale, "
              "cutoff, cutoff_width, type, softening, share, anisotropy_radius"},
        Wrong{component_text("king", "scale = 1\nw0 = 3\nsofening = 1\n"),
              "7: component.sofening: unknown key of king; did you mean 'softening'? Known are: "
              "name, profile, mass, scale, type, softening, share, anisotropy_radius, w0"},
        Wrong{component_text("black_hole", "softening = 1\nscale = 1\n"),
              "6: component.scale: unknown key of black_hole; use one of: name, profile, mass, "
              "softening, type"},
        Wrong{component_text("black_hole", ""),
              "1: component.softening: is missing; add it here or at the top of the file"},
        Wrong{component_text("plummer", "scale = -2.5\n"),
              "5: component.scale: is -2.5; it must be positive"},
        Wrong{component_text("plummer", "scale = 1\ntype = 6\n"),
              "6: component.type: must be an integer from 0 to 5; correct it"},
        Wrong{component_text("plummer", "scale = 1\nshare = 1.0\n"),
              "6: component.share: is 1; it must be between 0 and 1"},
        Wrong{component_text("plummer", "scale = 1\nshare = 0.5\n"),
              "6: component.share: the shares sum to 0.5; they must sum to 1, or one component be "
              "without"}));

INSTANTIATE_TEST_SUITE_P(
    Densities, WrongModel,
    ::testing::Values(
        Wrong{component_text("nfw", "scale = 1\n"), no_cutoff},
        Wrong{component_text("plummer", "scale = 2\ncutoff = 5\n"),
              "1: component.cutoff_width: is missing; add it"},
        Wrong{component_text("plummer", "scale = 2\ncutoff = 1.5\ncutoff_width = 1\n"),
              "6: component.cutoff: is 1.5, inside the scale length 2; make it larger"},
        Wrong{component_text("plummer", "scale = 2\ncutoff = 10\ncutoff_width = 0.09\n"),
              "7: component.cutoff_width: is 0.09, less than a hundredth of the cutoff; make it "
              "wider"},
        Wrong{component_text("king", "scale = 1\nw0 = 17\n"),
              "6: component.w0: is 17; it must be from 0.1 to 16"},
        Wrong{component_text("double_power", "scale = 1\nalpha = 1\nbeta = 5\ngamma = 3\n"),
              "3: component.profile: the density goes as r^-3 at the centre, with infinite energy; "
              "the slope must be below 2.5"},
        Wrong{component_text("double_power", "scale = 1\nalpha = 1\nbeta = 1\ngamma = 1\n"),
              "7: component.beta: is 1; it must exceed gamma"},
        Wrong{component_text("exponential_disc", disc),
              "1: component.toomre_q: is missing; add it or sigma_r"},
        Wrong{component_text("exponential_disc", disc + "toomre_q = 1\nsigma_r = 3\n"),
              "8: component.sigma_r: is given beside toomre_q; leave out one of them"},
        Wrong{component_text("exponential_disc", disc + "sigma_r = 3\ntoomre_q_radius = 3\n"),
              "8: component.toomre_q_radius: is given without toomre_q; leave it out"}));

/// A model whose density is in a file beside it.
class TableFile : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Model read(const std::string& rows, const std::string& keys = "",
             const std::string& profile = "table") const {
    std::ofstream(folder_ / "rho.txt") << rows;
    return parse_model(component_text(profile, "table = \"rho.txt\"\n" + keys), folder_ / "m.toml");
  }

  std::string error(const std::string& rows, const std::string& keys = "") const {
    const std::string message = error_of([&] { read(rows, keys); });
    return message.starts_with(folder_.string()) ? message.substr(folder_.string().size() + 1)
                                                 : message;
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("gothic-model-" + std::to_string(::getpid()));
};

TEST_F(TableFile, LiesBesideTheModel) {
  const std::string rows = "# r rho\n1 9\n\n  2\t3 # inner\r\n3 0.5\n4 1e-2\n";
  const Model model = read(rows);
  EXPECT_TRUE(model.text.ends_with("# Table of component 'a':\n# 1 9\n# 2 3\n# 3 0.5\n# 4 0.01\n"));
  const Component& table = model.components.front();
  EXPECT_EQ(table.scale, 1);
  EXPECT_EQ(table.shape->rows(), (std::vector<DensityRow>{{1, 9}, {2, 3}, {3, 0.5}, {4, 1e-2}}));
  EXPECT_EQ(read(rows, "scale = 2\n").components[0].scale, 2);
  const std::string of_disc = "height = 1\ntoomre_q = 2\ntoomre_q_radius = 3\n";
  EXPECT_EQ(read(rows, of_disc, "table_disc").components[0].disc.toomre_q_radius, 3);
}

TEST_F(TableFile, IsRefusedWithItsLine) {
  const std::string good = "1 9\n2 3\n3 0.5\n4 1e-2\n";
  EXPECT_EQ(error("1 9\n2 3\n3 1\n"), "rho.txt: table: has 3 rows; give at least 4");
  for (const char* row : {"5\n", "5 1 1\n", "radius density\n"}) {
    EXPECT_EQ(error(good + row), "rho.txt:5: table: is not two numbers; write radius and density");
  }
  EXPECT_EQ(error(good + "4 1e-3\n"),
            "rho.txt:5: table: the radius 4 does not exceed the one before, 4; sort the rows");
  EXPECT_EQ(error("0 1\n" + good), "rho.txt:1: table: the radius is 0; it must be positive");
  EXPECT_EQ(error(good + "5 -1\n"),
            "rho.txt:5: table: the density is -1; it must be positive, leave out rows without");
  const std::string lost = component_text("table", "table = \"lost.txt\"\n");
  EXPECT_EQ(error_of([&] { parse_model(lost, folder_ / "m.toml"); }),
            (folder_ / "lost.txt").string() + ": table: there is no such file; check the name");
}

TEST_F(TableFile, MustFallSteeplyOrBeCut) {
  const std::string shallow = "1 1\n10 1e-2\n100 1e-4\n1000 1e-6\n";
  EXPECT_EQ(error(shallow), "m.toml:" + no_cutoff);
  EXPECT_EQ(read(shallow, "cutoff = 50\ncutoff_width = 5\n").components[0].cutoff, 50);
  EXPECT_EQ(error(shallow, "cutoff = 0.5\ncutoff_width = 5\n"),
            "m.toml:6: component.cutoff: is 0.5, inside the first radius of the table 1; make it "
            "larger");
  EXPECT_EQ(error("1 1\n10 1e-3\n100 1e-6\n1000 1e-9\n"),
            "m.toml:3: component.profile: the density goes as r^-3 at the centre, with infinite "
            "energy; the slope must be below 2.5");
}

}  // namespace
}  // namespace gothic::ic
