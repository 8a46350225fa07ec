#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "files/error.hpp"
#include "files/hdf5.hpp"
#include "files/snapshot.hpp"
#include "files/snapshot_reader.hpp"

namespace gothic::files {

/// The refusal of a file that is no snapshot.
inline const std::string no_snapshot =
    "input: is no snapshot in a known format; give HDF5 of GADGET, AREPO, SWIFT or gothic-ic, a "
    "binary file of GADGET-2, or TIPSY";

/// The message with which `action` refuses its input; "accepted" if it does not refuse it.
template <class Action>
std::string refusal_of(Action action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

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

  std::string content(const std::string& name) const {
    std::ifstream in(file(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  void put(const std::string& name, const std::string& bytes) const {
    std::ofstream(file(name), std::ios::binary) << bytes;
  }

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
                    .components = {{"halo", 1, 0.25, "m31", "00ff"},
                                   {"Bulge", 4, 0},
                                   {"Σ disc", 4, 0.125, "own", "0a"}},
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

/// A snapshot with particles of types 1 and 4 in the order of its file.
inline Snapshot ordered_snapshot(std::size_t count) {
  Snapshot snapshot = example_snapshot(count);
  Particles& particles = snapshot.particles;
  for (std::size_t i = 0; i < count; ++i) {
    particles.id[i] = 3 * i;
    particles.type[i] = i < count / 2 ? 1 : 4;
  }
  return snapshot;
}

/// Particles [first, last).
inline Particles part_of(const Particles& all, std::size_t first, std::size_t last) {
  std::vector<std::size_t> order(last - first);
  std::iota(order.begin(), order.end(), first);
  return picked(all, order);
}

inline Provenance example_provenance() { return current_provenance("test_files"); }

}  // namespace gothic::files
