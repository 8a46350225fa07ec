#include "core/observers/lagrangian_radii.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "core/messages/one_rank.hpp"
#include "tests/core/device/devices.hpp"

#ifndef __CUDACC__
#include "tests/core/messages/threads_as_ranks.hpp"
#endif

namespace gothic::test {
namespace {

/// Radius that holds a fraction of the mass of a Plummer sphere, M = a = 1.
double plummer_radius(double fraction) { return 1 / std::sqrt(std::pow(fraction, -2.0 / 3) - 1); }

double distance(const Point& a, const Point& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// Particles on the host.
struct System {
  std::vector<Vec4> position;  ///< and masses
  std::vector<std::uint32_t> component;

  std::size_t size() const { return position.size(); }
  void set_masses(float mass) {
    for (Vec4& r : position) r.w = mass;
  }
  void move(const Vec4& by) {
    for (Vec4& r : position) r = {r.x + by.x, r.y + by.y, r.z + by.z, r.w};
  }
  void add(const System& others) {
    position.insert(position.end(), others.position.begin(), others.position.end());
    component.insert(component.end(), others.component.begin(), others.component.end());
  }
  System part(std::size_t first, std::size_t last) const {
    const auto slice = [&](const auto& all) {
      return std::decay_t<decltype(all)>(all.begin() + std::ptrdiff_t(first),
                                         all.begin() + std::ptrdiff_t(last));
    };
    return {slice(position), slice(component)};
  }
};

System at_origin(std::size_t n) {
  return {std::vector<Vec4>(n, Vec4{0, 0, 0, 1.0F / float(n)}), std::vector<std::uint32_t>(n)};
}

System plummer(std::size_t n, double mass = 1, std::int32_t component = 0) {
  std::mt19937 random(n);
  std::uniform_real_distribution<double> uniform(1e-7, 1 - 1e-7);
  System system = at_origin(n);
  for (Vec4& place : system.position) {
    const double r = plummer_radius(uniform(random)), z = 2 * uniform(random) - 1,
                 angle = 2 * std::numbers::pi * uniform(random), xy = r * std::sqrt(1 - z * z);
    place = {float(xy * std::cos(angle)), float(xy * std::sin(angle)), float(r * z),
             float(mass / double(n))};
  }
  std::ranges::fill(system.component, std::uint32_t(component));
  return system;
}

/// What is found on a device, with several ranks for the part of each.
/// \param first number of the system's first particle
template <class Device>
std::vector<LagrangianRadii> radii_of(Device& device, const System& system,
                                      const std::vector<std::int32_t>& components,
                                      Communicator& ranks = one_rank(), std::size_t first = 0) {
  const auto position = to_device<Device>(system.position);
  const auto component = to_device<Device>(system.component);
  std::vector<std::uint32_t> slots = numbers(system.size());
  for (std::uint32_t& slot : slots) slot += std::uint32_t(first);
  const auto slot = to_device<Device>(slots);
  return lagrangian_radii(StateView<Device>{.device = device,
                                            .size = std::uint32_t(system.size()),
                                            .position = position.data(),
                                            .slot = slot.data(),
                                            .component = component.data(),
                                            .components = components,
                                            .ranks = ranks});
}

void expect_plummer(const LagrangianRadii& radii, double tolerance) {
  for (std::size_t k = 0; k < lagrange_fractions.size(); ++k) {
    const double exact = plummer_radius(lagrange_fractions[k]);
    EXPECT_NEAR(radii.radius[k] / exact, 1, tolerance) << lagrange_fractions[k];
  }
}

template <class Case>
class LagrangianRadiiOn : public OnDevice<Case> {};
TYPED_TEST_SUITE(LagrangianRadiiOn, Devices);

TYPED_TEST(LagrangianRadiiOn, OfAPlummerSphereAreThoseOfItsMassProfileAboutItsCentre) {
  System system = plummer(131072);
  for (const Vec4& place : {Vec4{0, 0, 0, 0}, Vec4{100, -20, 3, 0}}) {
    system.move(place);
    const auto found = radii_of(this->device, system, {0});
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NEAR(found[0].mass, 1, 1e-5);
    EXPECT_LT(distance(found[0].center, {place.x, place.y, place.z}), 0.06);
    expect_plummer(found[0], 0.06);
  }
}

/// A satellite with a tenth of the mass moves the centre of mass, not the centre.
TYPED_TEST(LagrangianRadiiOn, AreNotMovedByASatellite) {
  System system = plummer(32768), satellite = plummer(20000, 0.1, 1);
  satellite.move({30, 0, -40, 0});
  system.add(satellite);
  const auto found = radii_of(this->device, system, {0, 1});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_LT(distance(found[0].center, {0, 0, 0}), 0.1);
  expect_plummer(found[0], 0.12);
  EXPECT_EQ(found[1].component, 1);
  EXPECT_NEAR(found[1].mass, 0.1, 1e-5);
  EXPECT_NEAR(found[1].radius[4], 50, 1);  // the satellite as a whole is that far away
}

TYPED_TEST(LagrangianRadiiOn, PassOverParticlesWithoutMass) {
  System system = plummer(16384), tracers = plummer(32768, 0, 1);
  tracers.move({5, 0, 0, 0});
  system.add(tracers);
  const auto found = radii_of(this->device, system, {0, 1});
  EXPECT_LT(distance(found[0].center, {0, 0, 0}), 0.1);
  EXPECT_EQ(found[1].mass, 0);
  EXPECT_NEAR(found[1].radius[4], 5, 0.3);  // all particles of the component count alike
}

TYPED_TEST(LagrangianRadiiOn, CountParticlesWhereNoneHasMass) {
  System system = plummer(16384, 0);
  system.move({0, 2, 0, 0});
  const auto found = radii_of(this->device, system, {0});
  EXPECT_LT(distance(found[0].center, {0, 2, 0}), 0.1);
  EXPECT_EQ(found[0].mass, 0);
  expect_plummer(found[0], 0.08);
}

TYPED_TEST(LagrangianRadiiOn, FindTheOneHeavyParticleInACrowdWithoutMass) {
  System system = plummer(200000, 0);
  system.position[123456] = {7, 8, 9, 2};
  const auto found = radii_of(this->device, system, {0});
  EXPECT_EQ(found[0].center, (Point{7, 8, 9}));
  EXPECT_EQ(found[0].mass, 2);
  for (const double radius : found[0].radius) EXPECT_EQ(radius, 0);
}

TYPED_TEST(LagrangianRadiiOn, OfParticlesInOnePointAreZero) {
  for (const std::size_t count : {1, 1000}) {
    System system = at_origin(count);
    system.move({1, 2, 3, 0});
    const auto found = radii_of(this->device, system, {0});
    EXPECT_EQ(found[0].center, (Point{1, 2, 3}));
    for (const double radius : found[0].radius) EXPECT_EQ(radius, 0);
  }
}

TYPED_TEST(LagrangianRadiiOn, EndWhereAPlaceIsNotFinite) {
  using Limits = std::numeric_limits<float>;
  for (const float place : {Limits::infinity(), Limits::quiet_NaN()}) {
    System system = plummer(1000);
    system.position.front().x = place;
    EXPECT_EQ(radii_of(this->device, system, {0}).size(), 1U);
  }
}

TYPED_TEST(LagrangianRadiiOn, AreOfTheComponentsOneByOne) {
  System system = at_origin(7);
  system.component = {7, std::uint32_t(-1), 3, 5, 5, 5, 5};  // the last four are the middle
  system.position[0].x = 0.1F;
  system.position[1].y = 0.2F;
  system.position[2].z = 0.3F;
  const auto found = radii_of(this->device, system, {-1, 3, 5, 7});
  ASSERT_EQ(found.size(), 4U);
  const std::array<std::int32_t, 4> components = {-1, 3, 5, 7};
  for (std::size_t k = 0; k < found.size(); ++k) {
    EXPECT_EQ(found[k].component, components[k]);
    EXPECT_EQ(found[k].radius.front(), found[k].radius[6]);
    EXPECT_EQ(found[k].center, found[0].center);
  }
  const auto& center = found[0].center;
  EXPECT_NEAR(found[3].radius[0], distance(center, {0.1F, 0, 0}), 1e-7);
  EXPECT_NEAR(found[0].radius[0], distance(center, {0, 0.2F, 0}), 1e-7);
  EXPECT_NEAR(found[1].radius[0], distance(center, {0, 0, 0.3F}), 1e-7);
}

/// n shells, some without mass, some that do not count, and many at the same radius.
std::vector<Shell> random_shells(std::size_t n) {
  std::mt19937 random(n);
  std::uniform_real_distribution<float> number(0, 1);
  std::vector<Shell> shells(n);
  for (Shell& shell : shells) {
    const float r = number(random) < 0.2F ? 0.5F : std::exp2(40 * number(random) - 20);
    shell = {r, number(random) < 0.3F ? 0 : number(random), number(random) < 0.9F};
  }
  shells.back() = {1, 1};
  return shells;
}

/// The radius by shells in order.
double plain_radius(std::vector<Shell> shells, double fraction, bool has_mass) {
  std::erase_if(shells, [](const Shell& shell) { return !shell.counts; });
  std::ranges::sort(shells, {}, &Shell::radius2);
  const auto mass_of = [&](const Shell& shell) { return has_mass ? double{shell.mass} : 1.0; };
  double whole = 0, within = 0;
  for (const Shell& shell : shells) whole += mass_of(shell);
  for (const Shell& shell : shells) {
    within += mass_of(shell);
    if (within >= fraction * whole * (1 - 1e-12)) return std::sqrt(double{shell.radius2});
  }
  return std::sqrt(double{shells.back().radius2});
}

template <class Device>
EnclosingRadii radii_of_shells(const Device& device, const std::vector<Shell>& shells,
                               const std::vector<double>& fractions) {
  const auto on_device = to_device<Device>(shells);
  const Shell* const shell = on_device.data();
  return enclosing_radii(
      device, one_rank(), shells.size(), [=] GOTHIC_DEVICE(std::size_t i) { return shell[i]; },
      fractions);
}

template <class Case>
class EnclosingRadiiOn : public OnDevice<Case> {};
TYPED_TEST_SUITE(EnclosingRadiiOn, Devices);

TYPED_TEST(EnclosingRadiiOn, AreThoseOfShellsInOrder) {
  const std::vector<double> fractions = {1e-9, 0.01, 0.1, 0.11, 0.5, 0.5, 0.6, 0.7, 0.99, 1};
  for (const std::size_t n : {1, 2, 3, 10, 1000, 20000}) {
    for (const bool has_mass : {true, false}) {
      std::vector<Shell> shells = random_shells(n);
      for (Shell& shell : shells) shell.mass *= has_mass ? 1.0F : 0.0F;
      const EnclosingRadii found = radii_of_shells(this->device, shells, fractions);
      for (std::size_t k = 0; k < fractions.size(); ++k) {
        EXPECT_EQ(found.radius[k], plain_radius(shells, fractions[k], has_mass))
            << fractions[k] << " of " << n;
      }
    }
  }
}

#ifndef __CUDACC__
/// Expects that ranks find together what one rank finds. Their parts differ in length; if there are
/// more than two, the second one is empty.
void expect_same_over_ranks(const System& all, const std::vector<std::int32_t>& components) {
  cpu::Device alone({.threads = 1});
  const auto expected = radii_of(alone, all, components);
  for (const int size : {1, 2, 3, 5}) {
    on_ranks(size, [&](Communicator& ranks) {
      const auto border = [&](int rank) {
        const int at = rank == 2 && size > 2 ? 1 : rank;
        return all.size() * std::size_t(at * at) / std::size_t(size * size);
      };
      cpu::Device device({.threads = 1});
      const std::size_t first = border(ranks.rank()), last = border(ranks.rank() + 1);
      const auto found = radii_of(device, all.part(first, last), components, ranks, first);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t k = 0; k < found.size(); ++k) {
        EXPECT_LT(distance(found[k].center, expected[k].center), 1e-13);
        EXPECT_EQ(found[k].mass, expected[k].mass);
        EXPECT_EQ(found[k].radius, expected[k].radius) << "component " << k << ", " << size;
      }
    });
  }
}

TEST(LagrangianRadii, OverRanksAreThoseOfOne) {
  System system = plummer(150001), satellite = plummer(20000, 0.1, 7);
  expect_same_over_ranks(system, {0});
  satellite.move({30, 0, -40, 0});
  system.add(satellite);  // the first ranks have none of these
  expect_same_over_ranks(system, {0, 7});
  system.set_masses(0);
  expect_same_over_ranks(system, {0, 7});
  system.position.back().w = 1;  // on the last rank alone
  expect_same_over_ranks(system, {0, 7});
}

TEST(LagrangianRadii, OverRanksMayBeOfFewerParticles) {
  System system = at_origin(2);
  system.component = {3, std::uint32_t(-1)};
  system.position = {{1, 0, 0, 0.5F}, {0, 2, 0, 0.5F}};
  expect_same_over_ranks(system, {-1, 3});
}
#endif

}  // namespace
}  // namespace gothic::test
