#include "core/tree/particle_keys.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "core/device/cpu/device.hpp"
#include "tests/core/messages/threads_as_ranks.hpp"

/// The cube that keys divide.
namespace gothic {
namespace {

using tree::CellCoordinates;
using tree::key_levels;

constexpr std::uint32_t middle = 1U << (key_levels - 1), last = (1U << key_levels) - 1;
/// Three particles in a corner and a heavy one far away. The centre of mass is at (2, 0, 1).
const std::vector<Vec4> far_apart{{0, 0, 0, 1}, {0, 0, 4, 1}, {0, 0, 0, 2}, {4, 0, 1, 4}};

TEST(KeyCubes, AreTheSmallest) {
  cpu::Device device({.threads = 1});
  const auto cube = key_cube(device, far_apart.data(), 4, Placement::tight);
  EXPECT_EQ(cube.locate(0, 0, 0), (CellCoordinates{0, 0, 0}));
  EXPECT_EQ(cube.locate(4, 4, 4), (CellCoordinates{last, last, last}));
}

TEST(KeyCubes, HaveTheCenterOfMassOfAllRanksInTheMiddle) {
  for (const std::uint32_t ranks : {1U, 2U, 4U}) {
    test::on_ranks(int(ranks), [&](Communicator& own) {
      cpu::Device device({.threads = 1});
      const std::uint32_t n = 4 / ranks, first = n * std::uint32_t(own.rank());
      const auto cube = key_cube(device, far_apart.data() + first, n, Placement::centered, own);
      EXPECT_EQ(cube.locate(2, 0, 1), (CellCoordinates{middle, middle, middle}));
      EXPECT_EQ(cube.locate(5, 3, 4), (CellCoordinates{last, last, last}));
      EXPECT_EQ(cube.locate(-1, -3, -2), (CellCoordinates{0, 0, 0}));
    });
  }
}

TEST(KeyCubes, AreTheSmallestWhereNothingHasAMass) {
  cpu::Device device({.threads = 1});
  const std::vector<Vec4> tracers{{0, 0, 0, 0}, {1, 1, 1, 0}};
  const auto cube = key_cube(device, tracers.data(), 2, Placement::centered);
  EXPECT_EQ(cube.locate(1, 1, 1), (CellCoordinates{last, last, last}));
}

}  // namespace
}  // namespace gothic
