#include "ic/convert.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "files/error.hpp"
#include "files/provenance.hpp"
#include "files/snapshot.hpp"
#include "files/snapshot_reader.hpp"

namespace gothic::ic {
namespace {

/// Converts files in a folder of its own.
class Convert : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string file(const std::string& name) const { return (folder_ / name).string(); }

  void convert(const std::string& from, const std::string& to,
               const std::string& format = "") const {
    ic::convert(file(from), file(to), format);
  }

  /// Three stars and two dark particles in galactic units, with scattered IDs.
  files::Snapshot write_example(const std::string& name) const {
    files::Snapshot snapshot{.units = {.length_in_cm = files::kiloparsec,
                                       .mass_in_g = 1e10 * files::solar_mass,
                                       .velocity_in_cm_per_s = 1e5},
                             .time = 2,
                             .softening = 0.05,
                             .components = {{"halo", 2, 0.05}, {"disc", 4, 0.05}},
                             .particles = {}};
    snapshot.particles = {
        .mass = {1, 2, 3, 4, 5},
        .position = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {1, 1, 1}, {2, 2, 2}},
        .velocity = {{100, 0, -3}, {1, 2, 3}, {0.1F, 0, 0}, {7, 7, 7}, {-220, 0, 5}},
        .id = {10, 11, 500, 501, 600},
        .type = {2, 2, 4, 4, 4},
        .component = {0, 0, 1, 1, 1}};
    files::write_snapshot(file(name), snapshot, files::current_provenance("test_ic"));
    return snapshot;
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("gothic-convert-" + std::to_string(::getpid()));
};

TEST_F(Convert, WithinHdf5KeepsIdsAndComponents) {
  const files::Snapshot start = write_example("a.h5");
  convert("a.h5", "b.hdf5");
  const files::Snapshot end = files::read_snapshot(file("b.hdf5"));
  EXPECT_EQ(end.particles.id, start.particles.id);
  EXPECT_EQ(end.particles.component, start.particles.component);
  EXPECT_EQ(end.components, start.components);
}

TEST_F(Convert, ContentTellsTheFormatOfTheInputAndAWordThatOfTheOutput) {
  write_example("a.tipsy");
  convert("a.tipsy", "b.h5", "tipsy");
  convert("b.h5", "c.tipsy", "hdf5");
  files::hdf5::silence();
  EXPECT_EQ(H5Fis_hdf5(file("b.h5").c_str()), 0);
  EXPECT_EQ(H5Fis_hdf5(file("c.tipsy").c_str()), 1);
  EXPECT_EQ(files::read_snapshot(file("b.h5")).particles.size(), 5U);
  EXPECT_EQ(files::read_snapshot(file("c.tipsy")).particles.size(), 5U);
}

TEST_F(Convert, SuffixTellsTheFormatOfTheOutput) {
  for (const char* name : {"a.h5", "a.hdf5", "b.c.h5"}) {
    EXPECT_EQ(output_format("", name), Format::hdf5);
  }
  for (const char* name : {"a.tipsy", "a.tip", "a.std", "h5.tipsy"}) {
    EXPECT_EQ(output_format("", name), Format::tipsy);
  }
  for (const char* name : {"a", "a.H5", "h5", ".h5", "a.h5.partial"}) {
    EXPECT_THROW(output_format("", name), InputError) << name;
  }
}

TEST_F(Convert, RemembersTheOrigin) {
  write_example("a.h5");
  convert("a.h5", "b.h5");
  convert("b.h5", "c.tipsy");
  const auto origin = files::read_origin(file("b.h5"));
  EXPECT_EQ(origin.at("program"), "gothic-ic convert");
  EXPECT_EQ(origin.at("input"), file("a.h5"));
  EXPECT_EQ(origin.at("input.program"), "test_ic");
  EXPECT_FALSE(origin.contains("date"));  // the same input gives the same file
  std::ifstream in(file("c.param"));
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  for (const char* line : {"# program: gothic-ic convert\n", "# input.input.program: test_ic\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << text;
  }
  convert("c.tipsy", "d.h5");
  EXPECT_EQ(files::read_origin(file("d.h5")).at("input.param"), text);
}

}  // namespace
}  // namespace gothic::ic
