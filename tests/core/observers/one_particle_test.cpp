#include "core/observers/one_particle.hpp"

#include <cmath>
#include <limits>

#include "tests/core/dynamics/fixtures.hpp"

namespace gothic::test {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

template <class Case>
class OneParticleOn : public OnDevice<Case> {};
TYPED_TEST_SUITE(OneParticleOn, Devices);

constexpr StepRule rule{StepRule::Mode::block, 0.5, 0.01};

TYPED_TEST(OneParticleOn, MostAcceleratedIsFoundWhereverItIs) {
  using Device = typename TypeParam::Device;
  for (const std::size_t n : {1, 2, 100, 4097, 30000}) {
    for (const std::size_t place : {std::size_t(0), n / 2, n - 1}) {
      HostBodies host = random_bodies(n);
      host.acceleration[place] = {-60, 80, 0, -1};
      const auto bodies = upload<Device>(host);
      const OneParticle found = shortest_step(view_of(this->device, *bodies), rule);
      EXPECT_EQ(found.slot, place);
      EXPECT_EQ(found.position, host.position[place]);
      EXPECT_EQ(found.velocity, host.velocity[place]);
      EXPECT_EQ(found.acceleration, host.acceleration[place]);
    }
  }
}

TYPED_TEST(OneParticleOn, FirstOfEquallyAcceleratedIsTaken) {
  using Device = typename TypeParam::Device;
  HostBodies host = random_bodies(10000);
  for (const std::size_t i : {500, 4097, 9999}) {
    host.acceleration[i] = {0, 0, 100, -1};
    host.velocity[i].w = 50;
  }
  const auto bodies = upload<Device>(host);
  EXPECT_EQ(shortest_step(view_of(this->device, *bodies), rule).slot, 500U);
}

TYPED_TEST(OneParticleOn, NoneIsNotFiniteAmongFiniteOnes) {
  using Device = typename TypeParam::Device;
  HostBodies host = random_bodies(5000);
  host.position[7].x = std::numeric_limits<float>::max();
  const auto bodies = upload<Device>(host);
  EXPECT_EQ(first_not_finite(view_of(this->device, *bodies)).slot, OneParticle::none);
}

TYPED_TEST(OneParticleOn, FirstThatIsNotFiniteIsFound) {
  using Device = typename TypeParam::Device;
  for (const float value : {infinity, -infinity, std::numeric_limits<float>::quiet_NaN()}) {
    for (const int field : {0, 1, 2}) {
      HostBodies host = random_bodies(10000);
      for (const std::size_t i : {4099, 4100, 9000}) {
        Vec4& vector = field == 0   ? host.position[i]
                       : field == 1 ? host.velocity[i]
                                    : host.acceleration[i];
        (i % 2 == 0 ? vector.z : vector.x) = value;
      }
      const auto bodies = upload<Device>(host);
      EXPECT_EQ(first_not_finite(view_of(this->device, *bodies)).slot, 4099U);
    }
  }
}

}  // namespace
}  // namespace gothic::test
