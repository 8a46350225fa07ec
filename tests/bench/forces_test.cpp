#include "bench/forces.hpp"

#include <cmath>
#include <vector>

#include "tests/bench/inputs.hpp"
#include "tests/bench/tables.hpp"
#include "tests/core/device/devices.hpp"

/// Tables of forces.
namespace gothic {
namespace {

using namespace test;
using namespace detail;

template <class Case>
class BenchForces : public OnDevice<Case> {};
TYPED_TEST_SUITE(BenchForces, Devices);

TYPED_TEST(BenchForces, FromTheInputAreThoseOfTheSortedParticles) {
  using Device = typename TestFixture::Device;
  const BenchInput input = input_of(plummer(3000));
  const auto& position = input.snapshot.particles.position;
  BenchSystem<Device> system(this->device, input);
  ForcesFromInput<Device> forces(this->device, system);
  forces.put_in_order_of_input();
  EXPECT_EQ(to_host(forces.slots()), numbers(3000));
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_GT(forces.find().walk, 0);
    const auto slot = to_host(forces.slots());
    const auto found = to_host(forces.accelerations());
    EXPECT_NE(slot, numbers(3000));
    for (std::size_t i = 0; i < found.size(); i += 100) {
      double a[3] = {};
      for (std::size_t j = 0; j < position.size(); ++j) {
        double d[3], d2 = input.force.softening * input.force.softening;
        for (int axis = 0; axis < 3; ++axis) {
          d[axis] = double(position[j][axis]) - position[slot[i]][axis];
          d2 += d[axis] * d[axis];
        }
        const double weight = input.snapshot.particles.mass[j] / (d2 * std::sqrt(d2));
        for (int axis = 0; axis < 3; ++axis) a[axis] += weight * d[axis];
      }
      EXPECT_LT(std::hypot(found[i].x - a[0], found[i].y - a[1], found[i].z - a[2]),
                0.02 * std::hypot(a[0], a[1], a[2]));
    }
  }
}

TYPED_TEST(BenchForces, HaveCostsThatAddUpToTheirPairs) {
  using Device = typename TestFixture::Device;
  BenchInput input = input_of(plummer(3000));
  input.force.split_ratio = 0;  // the pairs of parts of groups belong to nobody
  BenchSystem<Device> system(this->device, input);
  const auto costs = to_host(system.costs());
  const ForceCost cost = system.force();
  double sum = 0;
  for (const float own : costs) sum += own;
  EXPECT_NEAR(sum / cost.counts.template equivalent_pairs<typename Device::Defaults>(), 1, 1e-4);
}

TYPED_TEST(BenchForces, OnSomeParticlesAreFewer) {
  using Device = typename TestFixture::Device;
  BenchSystem<Device> system(this->device, input_of(plummer(3000)));
  const std::vector<std::uint32_t> order = system.by_acceleration();
  const auto all = to_host(system.bodies().new_acceleration);
  const auto size = [&](std::uint32_t i) { return std::hypot(all[i].x, all[i].y, all[i].z); };
  for (std::size_t i = 1; i < order.size(); ++i) {
    EXPECT_GE(size(order[i - 1]) * (1 + 1e-6), size(order[i]));
  }
  const auto some = first_of<Device>(order, 300);
  EXPECT_TRUE(std::ranges::is_sorted(to_host(some)));
  EXPECT_LT(system.force_on(some).counts.interactions(), system.force().counts.interactions() / 2);
}

TYPED_TEST(BenchForces, HaveNarrowGroupsWhereRunsWouldTryExtents) {
  using Device = typename TestFixture::Device;
  BenchInput input = input_of(plummer(3000));
  const auto extents = [&](const ForceVariant& variant) {
    input.variant = variant;
    input.force.variation = variation(variant);
    BenchSystem<Device> system(this->device, input);
    const double limit = system.force().group_extent;
    return std::pair(limit, group_extents(this->device, system.solver().last_groups()));
  };
  const auto [none, wide] = extents({.breadth_first = true});
  const auto [limit, narrow] = extents({.tune_extent = true, .breadth_first = true});
  EXPECT_EQ(none, 0);
  EXPECT_NEAR(std::log2(limit), wide.mean_log2 + 3, 1e-6);
  EXPECT_GT(wide.largest_log2, wide.mean_log2 + 3);
  EXPECT_LE(narrow.largest_log2, wide.mean_log2 + 3 + 1e-6);
}

TYPED_TEST(BenchForces, OfAWalkAreCountedInItsRow) {
  using Device = typename TestFixture::Device;
  const BenchInput input = input_of(plummer(1000));
  BenchSystem<Device> system(this->device, input);
  const ForceCost cost = system.force();
  const BenchTables tables =
      bench_walk(this->device, {.word = "walk", .input = input, .steps = {}, .repeats = 1});
  ASSERT_EQ(tables.table.rows().size(), 1U);
  const files::ReportRow& row = tables.table.rows().front();
  EXPECT_EQ(number(row, "groups"), cost.group_count);
  EXPECT_EQ(number(row, "cells_judged"), double(cost.counts.cells_judged));
  EXPECT_EQ(number(row, "interactions"), double(cost.counts.interactions()));
  EXPECT_EQ(number(row, "quadrupole_interactions/particle"),
            double(cost.counts.pairs[Order::quadrupole]) / 1000);
  EXPECT_NEAR(number(row, "walk_over_direct"),
              number(row, "interactions/s") / number(row, "direct_interactions/s"), 1e-12);
}

}  // namespace
}  // namespace gothic
