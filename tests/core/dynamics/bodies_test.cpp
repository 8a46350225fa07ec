#include <algorithm>

#include "fixtures.hpp"

namespace gothic::test {
namespace {

template <class Case>
class BodiesOn : public OnDevice<Case> {};
TYPED_TEST_SUITE(BodiesOn, Devices);

TYPED_TEST(BodiesOn, StartInTheOrderOfTheInputWithoutAccelerationAllOfThemTargets) {
  using Device = typename TypeParam::Device;
  for (const std::size_t n : {1, 33, 5000}) {
    const HostBodies before = random_bodies(n);
    const auto held = upload<Device>(before);
    Bodies<Device>& bodies = *held;
    const std::vector<std::uint32_t> nonsense(n, 12345);
    bodies.slot.upload(nonsense);
    auto targets = to_device<Device>(nonsense);
    start_bodies(this->device, bodies);
    list_all(this->device, targets.data(), bodies.size());
    const HostBodies after = download(bodies);
    EXPECT_EQ(to_host(bodies.slot), numbers(n));
    EXPECT_EQ(to_host(targets), numbers(n));
    EXPECT_EQ(after.level, std::vector<std::uint8_t>(n, 0));
    EXPECT_EQ(after.acceleration, std::vector<Vec4>(n));
    EXPECT_EQ(after.position, before.position);
    EXPECT_EQ(after.velocity, before.velocity);
  }
}

TYPED_TEST(BodiesOn, PermuteMovesAllThatBelongsToAParticle) {
  using Device = typename TypeParam::Device;
  for (const std::size_t n : {1, 2, 1000, 5000}) {
    const HostBodies before = random_bodies(n);
    const auto held = upload<Device>(before);
    Bodies<Device>& bodies = *held;
    std::vector<std::uint32_t> order = numbers(n);
    std::shuffle(order.begin(), order.end(), std::mt19937(1));
    const auto on_device = to_device<Device>(order);
    bodies.particles.permute(this->device, on_device.data());
    const HostBodies after = download(bodies);
    ASSERT_EQ(after.size(), n);
    EXPECT_EQ(to_host(bodies.slot), order);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(after.position[i], before.position[order[i]]);
      EXPECT_EQ(after.velocity[i], before.velocity[order[i]]);
      EXPECT_EQ(after.acceleration[i], before.acceleration[order[i]]);
      EXPECT_EQ(after.predicted[i], before.predicted[order[i]]);
      EXPECT_EQ(after.level[i], before.level[order[i]]);
    }
  }
}

}  // namespace
}  // namespace gothic::test
