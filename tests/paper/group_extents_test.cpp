#include "paper/group_extents.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "tests/core/tree/trees.hpp"

namespace gothic {
namespace {

using namespace test;

constexpr float no_limit = 3e38F;

/// Limits of the groups.
struct Limits {
  std::uint32_t size;
  float extent;
};

template <class Case>
class NarrowGroups : public OnDevice<Case> {
 protected:
  using Device = typename OnDevice<Case>::Device;

  std::vector<Range> grouped(const MassPoints& particles, const std::vector<std::uint32_t>& targets,
                             const Limits& limits) {
    const auto position = to_device<Device>(particles);
    const auto chosen = to_device<Device>(targets);
    make_narrow_groups(this->device, groups_, position.data(), chosen.data(),
                       std::uint32_t(targets.size()), limits.size, limits.extent);
    this->device.synchronize();
    auto ranges = to_host(groups_.ranges);
    EXPECT_EQ(ranges.size(), groups_.count);
    return ranges;
  }

  Groups<Device> groups_;
};
TYPED_TEST_SUITE(NarrowGroups, Devices);

MassPoints in_order(const MassPoints& particles) { return sorted_by_key(particles).particles; }

/// Half the diagonal of the bounding box of targets first ... first + count - 1.
double half_diagonal(const MassPoints& particles, const std::vector<std::uint32_t>& targets,
                     std::size_t first, std::size_t count) {
  Vec4 low = particles[targets[first]], high = low;
  for (std::size_t i = first; i < std::min(first + count, targets.size()); ++i) {
    const Vec4 p = particles[targets[i]];
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z), 0};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z), 0};
  }
  return distance(low, high) / 2;
}

void expect_cover(const std::vector<Range>& groups, std::size_t targets) {
  std::size_t next = 0;
  for (const Range& group : groups) {
    ASSERT_EQ(group.first, next);
    ASSERT_GE(group.count, 1U);
    next += group.count;
  }
  EXPECT_EQ(next, targets);
}

std::vector<Limits> many_limits() {
  std::vector<Limits> result;
  for (const std::uint32_t size : {1, 8, 16, 32, 64}) {
    for (const float extent : {0.0F, 0.1F, 0.5F, no_limit}) result.push_back({size, extent});
  }
  return result;
}

TYPED_TEST(NarrowGroups, CoverAllTargetsOnceAndInOrder) {
  const MassPoints particles = in_order(cuspy_sphere(8193));
  for (const std::size_t n : this->sizes()) {
    if (n > particles.size()) continue;
    for (const Limits& limits : many_limits()) {
      const auto groups = this->grouped(particles, numbers(n), limits);
      ASSERT_NO_FATAL_FAILURE(expect_cover(groups, n)) << n << " targets";
      for (const Range& group : groups) ASSERT_LE(group.count, limits.size);
    }
  }
}

TYPED_TEST(NarrowGroups, AreHalvedWhereTheyAreTooWideAndOnlyThere) {
  const MassPoints particles = in_order(cuspy_sphere(5003));
  std::vector<std::uint32_t> targets;
  for (std::uint32_t i = 0; i < particles.size(); i += 3) targets.push_back(i);
  for (const Limits& limits : many_limits()) {
    for (const Range& group : this->grouped(particles, targets, limits)) {
      ASSERT_LE(half_diagonal(particles, targets, group.first, group.count),
                limits.extent * (1 + 1e-6F));
      const std::uint32_t whole = 2 * std::bit_ceil(group.count);
      const std::uint32_t first = group.first / whole * whole;
      const bool ragged_end = group.first + group.count == targets.size();
      if (whole > limits.size || ragged_end) continue;
      ASSERT_GT(half_diagonal(particles, targets, first, whole), limits.extent * (1 - 1e-6F));
    }
  }
}

TYPED_TEST(NarrowGroups, OfCoincidentParticlesAreFull) {
  const auto groups = this->grouped(coincident(320), numbers(320), {32, 0.0F});
  EXPECT_EQ(groups.size(), 10U);
}

TYPED_TEST(NarrowGroups, DoNotDependOnThoseMadeBefore) {
  const MassPoints particles = in_order(cuspy_sphere(1000));
  this->grouped(particles, numbers(1000), {8, 0.0F});
  expect_cover(this->grouped(particles, numbers(100), {32, 0.5F}), 100);
  EXPECT_TRUE(this->grouped(particles, {}, {32, 0.5F}).empty());
}

}  // namespace
}  // namespace gothic
