#include "ic/model.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "files/error.hpp"

namespace gothic::ic {
namespace {

class ModelFile : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  Model read(const std::string& text) const {
    std::ofstream(path_) << text;
    return read_model(path_);
  }

  /// Expects that reading `text` fails with "PATH" + message.
  void expect_error(const std::string& text, const std::string& message) const {
    try {
      read(text);
      FAIL() << "no error";
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), path_.string() + message);
    }
  }

  /// Expects that a table with this content fails with "PATH" + message.
  void expect_table_error(const std::string& content, const std::string& message) const {
    std::ofstream(folder_ / "rho.txt") << content;
    try {
      read(component("table", "table = \"rho.txt\"\n"));
      FAIL() << "no error";
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), (folder_ / "rho.txt").string() + message);
    }
  }

  /// A component on lines 1 to 4, with more lines.
  static std::string component(const std::string& profile, const std::string& lines,
                               const std::string& name = "a") {
    return "[[component]]\nname = \"" + name + "\"\nprofile = \"" + profile + "\"\nmass = 1\n" +
           lines;
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("gothic-model-" + std::to_string(::getpid()));
  std::filesystem::path path_ = folder_ / "m.toml";
};

const std::string good =
    "[[component]]\n"
    "name = \"halo\"\n"
    "profile = \"nfw\"\n"
    "mass = 2\n"
    "scale = 1.5\n"
    "cutoff = 5.0\n"
    "cutoff_width = 0.5\n";

std::string without(const std::string& key) {
  const std::size_t first = good.find("\n" + key + " =") + 1;
  return std::string(good).erase(first, good.find('\n', first) + 1 - first);
}

TEST_F(ModelFile, IsUnderstood) {
  const Model model = read(
      "softening = 0.25\n[units]\nlength_in_cm = 2\nmass_in_g = 3\n"
      "velocity_in_cm_per_s = 4\n" +
      good);
  EXPECT_EQ(model.softening, 0.25);
  EXPECT_EQ(model.units, (files::Units{2, 3, 4}));
  ASSERT_EQ(model.components.size(), 1U);
  const Component& halo = model.components.front();
  EXPECT_EQ(halo.name, "halo");
  EXPECT_EQ(halo.profile, ProfileKind::nfw);
  EXPECT_EQ(halo.mass, 2);
  EXPECT_EQ(halo.scale, 1.5);
  EXPECT_EQ(halo.cutoff, 5);
  EXPECT_EQ(halo.cutoff_width, 0.5);
  EXPECT_EQ(halo.type, 1);
}

TEST_F(ModelFile, UnitsAndSofteningMayBeLeftOut) {
  const Model model = read(good);
  EXPECT_EQ(model.softening, 0);
  EXPECT_EQ(model.units, files::Units{});
}

TEST_F(ModelFile, KeysOfSpheres) {
  const Component a =
      read(component("double_power",
                     "scale = 2\nalpha = 1\nbeta = 5\ngamma = 0.5\nsoftening = 0.1\n"
                     "share = 0.25\nanisotropy_radius = 3\n") +
           component("plummer", "scale = 1\n", "b"))
          .components.front();
  EXPECT_EQ(a.alpha, 1);
  EXPECT_EQ(a.beta, 5);
  EXPECT_EQ(a.gamma, 0.5);
  EXPECT_EQ(a.softening, 0.1);
  EXPECT_EQ(a.share, 0.25);
  EXPECT_EQ(a.anisotropy_radius, 3);
  EXPECT_EQ(read(component("king", "scale = 2\nw0 = 7\n")).components[0].w0, 7);
  EXPECT_EQ(read(component("einasto", "scale = 2\nalpha = 0.2\n")).components[0].alpha, 0.2);
  EXPECT_EQ(read(component("sersic", "scale = 2\nn = 4\n")).components[0].n, 4);
}

TEST_F(ModelFile, KeysOfDiscs) {
  const Component disc =
      read(component("exponential_disc", "scale = 3\nheight = 0.3\ntoomre_q = 1.5\n"))
          .components.front();
  EXPECT_TRUE(disc.is_disc());
  EXPECT_EQ(disc.type, 4);
  EXPECT_EQ(disc.disc.height, 0.3);
  EXPECT_EQ(disc.disc.toomre_q, 1.5);
  EXPECT_EQ(disc.disc.toomre_q_radius, 3);
  EXPECT_EQ(disc.disc.sigma_r, 0);
  const Component other = read(component("sersic_disc",
                                         "scale = 3\nn = 2\nheight = 0.3\nsigma_r = 40\n"
                                         "retrograde = 0.1\ntype = 2\n"))
                              .components.front();
  EXPECT_EQ(other.type, 2);
  EXPECT_EQ(other.n, 2);
  EXPECT_EQ(other.disc.toomre_q, 0);
  EXPECT_EQ(other.disc.sigma_r, 40);
  EXPECT_EQ(other.disc.retrograde, 0.1);
}

TEST_F(ModelFile, BlackHolesNeedASoftening) {
  const Component hole = read("softening = 0.5\n" + component("black_hole", "")).components[0];
  EXPECT_TRUE(hole.is_black_hole());
  EXPECT_EQ(hole.type, 5);
  EXPECT_EQ(hole.softening, 0);
  EXPECT_EQ(read(component("black_hole", "softening = 0.1\n")).components[0].softening, 0.1);
  expect_error(component("black_hole", ""),
               ":1: component.softening: is missing; add it here or at the top of the file");
  expect_error(component("black_hole", "softening = 1\nscale = 1\n"),
               ":6: component.scale: unknown key of black_hole; use one of: name, profile, mass, "
               "softening, type");
}

TEST_F(ModelFile, TablesLieBesideIt) {
  std::ofstream(folder_ / "rho.txt") << "# r rho\n1 9\n\n  2\t3 # inner\r\n3 0.5\n4 1e-2\n";
  const Model model = read(component("table", "table = \"rho.txt\"\n"));
  EXPECT_TRUE(model.text.ends_with("# Table of component 'a':\n# 1 9\n# 2 3\n# 3 0.5\n# 4 0.01\n"));
  const Component& table = model.components.front();
  EXPECT_EQ(table.scale, 1);
  EXPECT_EQ(table.table, (std::vector<std::array<double, 2>>{{1, 9}, {2, 3}, {3, 0.5}, {4, 1e-2}}));
  EXPECT_EQ(read(component("table", "table = \"rho.txt\"\nscale = 2\n")).components[0].scale, 2);
  EXPECT_EQ(read(component("table_disc",
                           "table = \"rho.txt\"\nheight = 1\ntoomre_q = 2\n"
                           "toomre_q_radius = 3\n"))
                .components[0]
                .disc.toomre_q_radius,
            3);
}

TEST_F(ModelFile, WrongTables) {
  const std::string good_rows = "1 9\n2 3\n3 0.5\n4 1e-2\n";
  expect_table_error("1 9\n2 3\n3 1\n", ": table: has 3 rows; give at least 4");
  expect_table_error("", ": table: has 0 rows; give at least 4");
  expect_table_error(good_rows + "5\n", ":5: table: is not two numbers; write radius and density");
  expect_table_error(good_rows + "5 1 1\n",
                     ":5: table: is not two numbers; write radius and density");
  expect_table_error("radius density\n" + good_rows,
                     ":1: table: is not two numbers; write radius and density");
  expect_table_error(good_rows + "4 1e-3\n",
                     ":5: table: the radius 4 does not exceed the one before, 4; sort the rows");
  expect_table_error("0 1\n" + good_rows, ":1: table: the radius is 0; it must be positive");
  expect_table_error(good_rows + "5 -1\n",
                     ":5: table: the density is -1; it must be positive, leave out rows without");
  std::filesystem::remove(folder_ / "rho.txt");
  try {
    read(component("table", "table = \"rho.txt\"\n"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), (folder_ / "rho.txt").string() +
                                ": table: there is no such file or it cannot be read; check the "
                                "name");
  }
}

TEST_F(ModelFile, TablesMustFallSteeplyOrBeCut) {
  std::ofstream(folder_ / "rho.txt") << "1 1\n10 1e-2\n100 1e-4\n1000 1e-6\n";
  const std::string table = component("table", "table = \"rho.txt\"\n");
  expect_error(table,
               ":1: component.cutoff: is missing; the profile reaches too far out without, add "
               "cutoff and cutoff_width");
  EXPECT_EQ(read(table + "cutoff = 50\ncutoff_width = 5\n").components[0].cutoff, 50);
  expect_error(table + "cutoff = 0.5\ncutoff_width = 5\n",
               ":6: component.cutoff: is 0.5, inside the first radius of the table 1; make it "
               "larger");
  std::ofstream(folder_ / "rho.txt") << "1 1\n10 1e-3\n100 1e-6\n1000 1e-9\n";
  expect_error(table,
               ":5: component.table: the density goes as r^-3 at the centre, with infinite energy; "
               "the slope must be below 2.5");
}

struct WrongLines {
  std::string profile, lines, message;
};

class WrongComponent : public ModelFile, public ::testing::WithParamInterface<WrongLines> {};

TEST_P(WrongComponent, IsRefused) {
  const auto& [profile, lines, message] = GetParam();
  expect_error(component(profile, lines), message);
}

const std::string disc = "scale = 3\nheight = 0.3\n";

INSTANTIATE_TEST_SUITE_P(
    Values, WrongComponent,
    ::testing::Values(
        WrongLines{"king", "scale = 1\nw0 = 17\n",
                   ":6: component.w0: is 17; it must be from 0.1 to 16"},
        WrongLines{"king", "scale = 1\n", ":1: component.w0: is missing; add it"},
        WrongLines{"einasto", "scale = 1\nalpha = 0.01\n",
                   ":6: component.alpha: is 0.01; it must be from 0.05 to 10"},
        WrongLines{"sersic", "scale = 1\nn = 0\n",
                   ":6: component.n: is 0; it must be from 0.5 to 10"},
        WrongLines{"double_power", "scale = 1\nalpha = 1\nbeta = 5\ngamma = 3\n",
                   ":8: component.gamma: the density goes as r^-3 at the centre, with infinite "
                   "energy; the slope must be below 2.5"},
        WrongLines{"double_power", "scale = 1\nalpha = 1\nbeta = 5\ngamma = -1\n",
                   ":8: component.gamma: is -1; it must not be negative"},
        WrongLines{"double_power", "scale = 1\nalpha = 1\nbeta = 1\ngamma = 1\n",
                   ":7: component.beta: is 1; it must exceed gamma"},
        WrongLines{"plummer", "scale = 2\ncutoff = 1.5\ncutoff_width = 1\n",
                   ":6: component.cutoff: is 1.5, inside the scale length 2; make it larger"},
        WrongLines{"plummer", "scale = 2\ncutoff = 10\ncutoff_width = 0.09\n",
                   ":7: component.cutoff_width: is 0.09, less than a hundredth of the cutoff; make "
                   "it wider"},
        WrongLines{"exponential_disc", disc + "toomre_q = 1\ncutoff = 1\ncutoff_width = 1\n",
                   ":8: component.cutoff: is 1, inside the scale length 3; make it larger"},
        WrongLines{"plummer", "scale = 1\nanisotropy_radius = 0\n",
                   ":6: component.anisotropy_radius: is 0; it must be positive"},
        WrongLines{"exponential_disc", disc,
                   ":1: component.toomre_q: is missing; add it or sigma_r"},
        WrongLines{"exponential_disc", disc + "toomre_q = -1\n",
                   ":7: component.toomre_q: is -1; it must be positive"},
        WrongLines{"exponential_disc", disc + "toomre_q = 1\nsigma_r = 3\n",
                   ":8: component.sigma_r: is given beside toomre_q; leave out one of them"},
        WrongLines{"exponential_disc", disc + "sigma_r = 3\ntoomre_q_radius = 3\n",
                   ":8: component.toomre_q_radius: is given without toomre_q; leave it out"},
        WrongLines{"exponential_disc", disc + "sigma_r = 3\nretrograde = 1.5\n",
                   ":8: component.retrograde: is 1.5; it must be from 0 to 1"},
        WrongLines{"exponential_disc", "scale = 3\n", ":1: component.height: is missing; add it"},
        WrongLines{"plummer", "scale = 1\nshare = 1.0\n",
                   ":6: component.share: is 1; it must be between 0 and 1"},
        WrongLines{"plummer", "scale = 1\nshare = 0.5\n",
                   ":6: component.share: the shares sum to 0.5; they must sum to 1, or one "
                   "component be without"},
        WrongLines{"plummer", "scale = 1\nw0 = 3\n",
                   ":6: component.w0: unknown key of plummer; use one of: name, profile, mass, "
                   "scale, cutoff, cutoff_width, type, softening, share, anisotropy_radius"},
        WrongLines{"king", "scale = 1\nw0 = 3\nsofening = 1\n",
                   ":7: component.sofening: unknown key of king; did you mean 'softening'? Known "
                   "are: name, profile, mass, scale, type, softening, share, anisotropy_radius, "
                   "w0"},
        WrongLines{"hernqvist", "",
                   ":3: component.profile: unknown profile 'hernqvist'; did you mean 'hernquist'? "
                   "Known are: plummer, king, hernquist, nfw, burkert, moore, einasto, "
                   "double_power, sersic, table, black_hole, exponential_disc, sersic_disc, "
                   "table_disc"}));

TEST_F(ModelFile, SharesLeaveSomethingForTheRest) {
  const std::string a = component("plummer", "scale = 1\nshare = 0.5\n");
  const std::string b = component("plummer", "scale = 1\nshare = 0.7\n", "b");
  const std::string c = component("plummer", "scale = 1\n", "c");
  EXPECT_EQ(read(a + c).components[1].share, 0);
  expect_error(a + b + c,
               ":13: component.share: the shares sum to 1.2; leave something for the components "
               "without");
}

TEST_F(ModelFile, ExamplesAreGood) {
  for (const char* name : {"nfw", "plummer", "hernquist", "king"}) {
    const Model model = read_model(std::string(MODEL_FOLDER "/") + name + ".toml");
    ASSERT_EQ(model.components.size(), 1U);
    EXPECT_EQ(name_of(model.components.front().profile), name);
    EXPECT_EQ(model.softening, 1.0 / 64);
    EXPECT_EQ(model.units.gravitational_constant(), 1);
  }
  for (const char* name : {"m31", "milky_way", "early_type"}) {
    const Model model = read_model(std::string(MODEL_FOLDER "/") + name + ".toml");
    EXPECT_GE(model.components.size(), 3U);
    EXPECT_NEAR(model.units.gravitational_constant(), 43007.1, 1);
  }
}

TEST_F(ModelFile, Missing) {
  try {
    read_model("nowhere.toml");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "nowhere.toml: model: there is no such file or it cannot be read; check the name");
  }
}

TEST_F(ModelFile, NotToml) {
  try {
    read(good + "type = = 3\n");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).rfind(path_.string() + ":8: not valid TOML: ", 0), 0U);
  }
}

TEST_F(ModelFile, UnknownKeys) {
  expect_error("softning = 1\n" + good,
               ":1: softning: unknown key; did you mean 'softening'? Known are: softening, units, "
               "component");
  expect_error(good + "radius = 1\n",
               ":8: component.radius: unknown key of nfw; use one of: name, profile, mass, scale, "
               "cutoff, cutoff_width, type, softening, share, anisotropy_radius");
  expect_error("[units]\nmass = 1\n" + good,
               ":2: units.mass: unknown key; use one of: length_in_cm, mass_in_g, "
               "velocity_in_cm_per_s");
}

TEST_F(ModelFile, MissingKeys) {
  expect_error(without("mass"), ":1: component.mass: is missing; add it");
  expect_error(without("scale"), ":1: component.scale: is missing; add it");
  expect_error(without("profile"), ":1: component.profile: is missing; add it");
  expect_error(without("name"), ":1: component.name: is missing; add it");
  expect_error(without("cutoff"), ":1: component.cutoff: is missing; add it");
  expect_error(without("cutoff_width"), ":1: component.cutoff_width: is missing; add it");
  expect_error("[units]\nlength_in_cm = 1\n" + good, ":1: units.mass_in_g: is missing; add it");
}

TEST_F(ModelFile, ExtendedProfilesNeedACutoff) {
  for (const std::string profile : {"nfw", "hernquist", "burkert", "moore"}) {
    expect_error(
        "[[component]]\nname = \"a\"\nprofile = \"" + profile + "\"\nmass = 1\nscale = 1\n",
        ":1: component.cutoff: is missing; the profile reaches too far out without, add cutoff "
        "and cutoff_width");
  }
}

TEST_F(ModelFile, WrongValues) {
  const std::string head = "[[component]]\nname = \"a\"\nprofile = \"plummer\"\n";
  expect_error(head + "mass = \"1\"\nscale = 1\n",
               ":4: component.mass: is not a number; write one without quotes");
  expect_error(head + "mass = 0\nscale = 1\n", ":4: component.mass: is 0; it must be positive");
  expect_error(head + "mass = 1\nscale = -2.5\n",
               ":5: component.scale: is -2.5; it must be positive");
  expect_error(head + "mass = nan\nscale = 1\n",
               ":4: component.mass: is not finite; write a finite number");
  expect_error(head + "mass = 1\nscale = 1\ntype = 6\n",
               ":6: component.type: must be an integer from 0 to 5; correct it");
  expect_error("softening = 0\n" + good, ":1: softening: is 0; it must be positive");
  expect_error("[[component]]\nname = 3\n",
               ":2: component.name: is not a text; write it in quotes");
  expect_error("units = 3\n" + good, ":1: units: is not a table; write [units]");
}

TEST_F(ModelFile, NoComponents) {
  const std::string message = ": component: the model has none; add a table [[component]] for each";
  expect_error("softening = 1\n", ":1" + message);
  expect_error("component = []\n", ":1" + message);
  expect_error("component = 3\n", ":1" + message);
  expect_error("[component]\nname = \"a\"\n", ":1" + message);
}

TEST_F(ModelFile, NamesAreUnique) {
  expect_error(good + good,
               ":9: component.name: 'halo' is used twice; give every component its own");
}

}  // namespace
}  // namespace gothic::ic
