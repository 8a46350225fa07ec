#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <random>
#include <string>

#include "files/error.hpp"
#include "files/hdf5.hpp"
#include "files/snapshot.hpp"

namespace gothic::files {

/// A folder of its own for every test, removed afterwards.
class FolderTest : public ::testing::Test {
 protected:
  FolderTest() {
    static int number = 0;
    folder_ = std::filesystem::temp_directory_path() /
              ("gothic-io-" + std::to_string(::getpid()) + "-" + std::to_string(number++));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path file(const std::string& name) const { return folder_ / name; }

  /// Number of names in the folder.
  std::size_t names() const {
    const std::filesystem::directory_iterator begin(folder_);
    return static_cast<std::size_t>(std::distance(begin, std::filesystem::directory_iterator()));
  }

  std::filesystem::path folder_;
};

/// Particles of types 1 and 4 alternately, with IDs 1 ... count in descending order.
inline Snapshot example_snapshot(std::size_t count) {
  Snapshot snapshot{.units = {.length_in_cm = kiloparsec,
                              .mass_in_g = 1e10 * solar_mass,
                              .velocity_in_cm_per_s = 1e5},
                    .time = 0.5,
                    .softening = 0.25,
                    .components = {{"halo", 1, 0.25}, {"Bulge", 4, 0}, {"Σ disc", 4, 0.125}},
                    .particles = {}};
  std::mt19937 random(42);
  std::normal_distribution<float> normal;
  Particles& particles = snapshot.particles;
  particles.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    particles.id[i] = count - i;
    particles.mass[i] = 1.0F + static_cast<float>(i);
    for (int k = 0; k < 3; ++k) {
      particles.position[i][k] = normal(random);
      particles.velocity[i][k] = normal(random);
    }
    particles.type[i] = i % 2 == 0 ? 1 : 4;
    particles.component[i] = static_cast<std::int32_t>(i % 3);
  }
  return snapshot;
}

inline Provenance example_provenance() { return current_provenance("test_files"); }

/// A good file of four particles, two of type 1 (IDs 2, 4) and two of type 4 (IDs 1, 3), for tests
/// that damage it.
class GoodFileTest : public FolderTest {
 protected:
  GoodFileTest() { write_snapshot(path_, example_snapshot(4), example_provenance()); }

  hdf5::Handle open() const {
    return {H5Fopen(path_.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), H5Fclose, "file"};
  }

  template <class T>
  void set_attribute(const std::string& group, const std::string& name, const T& value) const {
    const hdf5::Handle in = open();
    const hdf5::Handle at(H5Gopen2(in.id(), group.c_str(), H5P_DEFAULT), H5Gclose, group);
    write_attribute(at.id(), name, value);
  }

  /// Expects that reading fails with "PATH: " + message.
  void expect_error(const std::string& message) const {
    try {
      read_snapshot(path_);
      FAIL() << "no error";
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), path_.string() + ": " + message);
    }
  }

  std::filesystem::path path_ = file("s.h5");
};

}  // namespace gothic::files
