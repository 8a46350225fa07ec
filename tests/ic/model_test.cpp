#include "ic/model.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "io/error.hpp"

namespace gothic::ic {
namespace {

class ModelFile : public ::testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove(path_); }

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

  std::filesystem::path path_ = std::filesystem::temp_directory_path() /
                                ("gothic-model-" + std::to_string(::getpid()) + ".toml");
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
  EXPECT_EQ(model.units, (io::Units{2, 3, 4}));
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
  EXPECT_EQ(model.units, io::Units{});
}

TEST_F(ModelFile, ExamplesAreGood) {
  for (const char* name : {"nfw", "plummer", "hernquist"}) {
    const Model model = read_model(std::string(MODEL_FOLDER "/") + name + ".toml");
    ASSERT_EQ(model.components.size(), 1U);
    EXPECT_EQ(name_of(model.components.front().profile), name);
    EXPECT_EQ(model.softening, 1.0 / 64);
    EXPECT_EQ(model.units.gravitational_constant(), 1);
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
               ":1: softning: unknown key; use one of: softening, units, component");
  expect_error(good + "radius = 1\n",
               ":8: component.radius: unknown key; use one of: name, profile, mass, scale, cutoff, "
               "cutoff_width, type");
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
  for (const std::string profile : {"nfw", "hernquist"}) {
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
  expect_error(
      "[[component]]\nname = \"a\"\nprofile = \"kin\"\n",
      ":3: component.profile: unknown profile 'kin'; use one of: plummer, king, hernquist, nfw, "
      "burkert, moore, einasto, double_power, sersic, table, black_hole, exponential_disc, "
      "sersic_disc, table_disc");
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
