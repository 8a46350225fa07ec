#include "core/gravity/acceptance.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "tests/core/gravity/forces.hpp"

namespace gothic {
namespace {

using namespace test;

/// A cell and a particle, random over many decades.
struct Meeting {
  double mass, size, second_moment, distance, old_acceleration, accuracy, gravity;

  explicit Meeting(Random& random) {
    const auto decades = [&](double low, double high) {
      return std::pow(10.0, random.uniform(low, high));
    };
    mass = decades(-6, 2);
    size = decades(-4, 2);
    second_moment = mass * size * size * random.uniform(0.05, 1);
    distance = decades(-5, 4);
    old_acceleration = decades(-4, 5);
    accuracy = decades(-6, 0);
    gravity = random.below(2) == 0 ? 1 : 43007.1;
  }

  /// Distance from which on the cell acts as a whole. Points follow the three equations of Miki &
  /// Umemura (2017), section 2.2, as printed, with G put back.
  double nearest(Mac mac, Order order) const {
    return order == Order::point ? nearest_for_points(mac) : nearest_for(mac, order);
  }

 private:
  double nearest_for_points(Mac mac) const {
    switch (mac) {
      case Mac::acceleration:
        return std::pow(gravity * mass * size * size / (accuracy * old_acceleration), 0.25);
      case Mac::multipole:
        return size / 2 +
               std::sqrt(size * size / 4 + std::sqrt(3 * gravity * second_moment / accuracy));
      default:
        return size / accuracy;
    }
  }

  /// The same distance with higher moments. The error begins with the third moment, which is at
  /// most size * second_moment, or with the fourth.
  double nearest_for(Mac mac, Order order) const {
    if (mac == Mac::opening) return size / accuracy;
    const int moment = order == Order::quadrupole ? 3 : 4;
    const double first = gravity * std::pow(size, moment - 2) * second_moment / accuracy;
    if (mac == Mac::acceleration) {
      return std::pow(2 * (moment - 2) * first / old_acceleration, 1.0 / (moment + 2));
    }
    // The multipoles of all higher orders are bounded by (k + 1) B_k / (d^k (d - b)^2); d follows
    // by bisection.
    double near = size, far = size + 2 * std::pow((moment + 1) * first, 1.0 / (moment + 2));
    for (int i = 0; i < 100; ++i) {
      const double d = (near + far) / 2;
      (std::pow(d, moment) * std::pow(d - size, 2) < (moment + 1) * first ? near : far) = d;
    }
    return far;
  }
};

/// R_J of a cell of mass m, size b and second moment B_2.
float radius(const Acceptance& acceptance, float m, float b, float second_moment) {
  return with_order(acceptance.order,
                    [&]<Order order>() { return acceptance.radius<order>(m, b, second_moment); });
}

TEST(AcceptanceCriteria, DecideAsTheirEquations) {
  Random random(20);
  for (const Mac mac : {Mac::acceleration, Mac::multipole, Mac::opening}) {
    for (const Order order : {Order::point, Order::quadrupole, Order::octupole}) {
      int accepted = 0;
      constexpr int meetings = 20000;
      for (int i = 0; i < meetings; ++i) {
        const Meeting m(random);
        const double nearest = m.nearest(mac, order);
        if (std::abs(m.distance / nearest - 1) < 1e-4) continue;  // rounding may decide
        const Acceptance acceptance{mac, float(m.accuracy), float(m.gravity), order};
        const float reach =
            radius(acceptance, float(m.mass), float(m.size), float(m.second_moment)) *
            acceptance.scale(float(m.old_acceleration));
        ASSERT_EQ(float(m.distance) >= reach, m.distance >= nearest)
            << "criterion " << int(mac) << ", order " << int(order)
            << ", distance over the nearest " << m.distance / nearest;
        accepted += m.distance >= nearest;
      }
      // The samples must put both answers to the test.
      EXPECT_GT(accepted, meetings / 10);
      EXPECT_LT(accepted, meetings * 9 / 10);
    }
  }
}

TEST(AcceptanceCriteria, OfPointsAllowLessErrorThanThatOfHigherOrders) {
  for (const auto& [order, share] :
       {std::pair(Order::quadrupole, 0.5F), {Order::octupole, 0.0625F}}) {
    for (const Mac mac : {Mac::acceleration, Mac::multipole}) {
      const Acceptance points = Acceptance{mac, 0.01F, 3, order}.of_points();
      const Acceptance expected{mac, share * 0.01F, 3, Order::point};
      EXPECT_EQ(radius(points, 2, 0.5F, 0.25F), radius(expected, 2, 0.5F, 0.25F));
      EXPECT_EQ(points.scale(0.3F), expected.scale(0.3F));
    }
  }
  // (b / d)^2 = theta^3, or theta^4
  const auto beside = [](Order order) {
    return radius(Acceptance{Mac::opening, 0.25F, 3, order}.of_points(), 2, 0.5F, 0.25F);
  };
  EXPECT_FLOAT_EQ(beside(Order::quadrupole), 0.5F / 0.125F);
  EXPECT_FLOAT_EQ(beside(Order::octupole), 0.5F / 0.0625F);
}

TEST(AcceptanceCriteria, TakeAPointForWhatItIs) {
  for (const Mac mac : {Mac::acceleration, Mac::multipole, Mac::opening}) {
    for (const Order order : {Order::point, Order::quadrupole, Order::octupole}) {
      EXPECT_EQ(radius({mac, 0.01F, 1, order}, 0.5F, 0, 0), 0);
    }
  }
}

/// The softened pull of a shell of mass 1 at a distance from its centre: the mean over its points.
double pull_of_shell(double radius, double distance, double softening) {
  constexpr int rings = 2000;  // equally thick rings of a shell have equal masses
  double pull = 0;
  for (int k = 0; k < rings; ++k) {
    const double x = radius * ((k + 0.5) / rings * 2 - 1), along = distance - x;
    const double s2 = along * along + radius * radius - x * x + softening * softening;
    pull += along / (s2 * std::sqrt(s2)) / rings;
  }
  return pull;
}

TEST(Tolerances, BoundHowMuchARoundCellDiffersFromAPoint) {
  for (const float softening : {0.01F, 0.1F}) {
    for (const float tolerance : {1e-2F, 1e-4F}) {
      const double radius = 0.05;
      const double d = SofteningTolerance{tolerance, 0, 1}.point_distance(float(radius * radius),
                                                                          {softening * softening});
      if (d < radius) continue;  // the cell may not act as a whole
      const double point = d / std::pow(d * d + softening * softening, 1.5);
      const double error = 1 - pull_of_shell(radius, d, softening) / point;
      EXPECT_GT(error, 0.3 * tolerance) << softening << ", " << tolerance;
      EXPECT_LT(error, 2 * tolerance) << softening << ", " << tolerance;
    }
  }
}

/// Two halves of a cell at distance `apart` from each other, whose particles have softening shares
/// 0 and 1/2: the error of their pull on a point at distance d, with the mean share for both, over
/// their pull.
double error_of_mean_share(double apart, double d) {
  const auto pull = [=](double x, double share) {
    const double along = d - x, s2 = along * along + share;
    return 0.5 * along / (s2 * std::sqrt(s2));
  };
  const double x = 0.5 * apart, both = pull(x, 0.25) + pull(-x, 0.25);
  return std::abs(pull(x, 0) + pull(-x, 0.5) - both) / both;
}

TEST(Tolerances, BoundHowMuchAMixtureOfLengthsDiffersFromItsMean) {
  for (const double apart : {0.01, 0.1, 1.0}) {
    const CellSoftening eps = CellSoftening::of_mean(0.25F, 0, 0.5F);
    EXPECT_FLOAT_EQ(eps.mixture(float(0.25 * apart * apart)), float(0.125 * apart));
    for (const float tolerance : {1e-2F, 1e-3F}) {
      const double d = SofteningTolerance{tolerance, tolerance, tolerance}.point_distance(
          float(0.25 * apart * apart), eps);
      EXPECT_LT(error_of_mean_share(apart, d), 2.5 * tolerance) << apart << ", " << tolerance;
      EXPECT_GT(error_of_mean_share(apart, d), 0.1 * tolerance) << apart << ", " << tolerance;
    }
  }
  EXPECT_EQ(CellSoftening::of_mean(0.5F, 0, 0.5F).variance, 0);
  EXPECT_EQ(CellSoftening::of_mean(0, 0, 0.5F).variance, 0);
}

TEST(Tolerances, FollowTheAccuracyOnceParticlesHaveMoved) {
  const auto when = [](bool moved, Mac mac, float accuracy) {
    return SofteningTolerance::when(moved, {mac, accuracy, 1}).of_points;
  };
  const float usual = when(true, Mac::acceleration, 0x1p-7F);
  EXPECT_EQ(when(true, Mac::acceleration, 0x1p-3F), usual);
  EXPECT_EQ(when(true, Mac::acceleration, 0x1p-12F), usual / 32);
  EXPECT_EQ(when(true, Mac::opening, 0.1F), usual);
  EXPECT_LT(usual, when(false, Mac::acceleration, 0x1p-7F));
}

TEST(AcceptanceCriteria, AcceptNothingThatHasAnExtentWithoutAnOldAcceleration) {
  for (const Order order : {Order::point, Order::quadrupole, Order::octupole}) {
    const Acceptance acceptance{Mac::acceleration, 0.0078125F, 1, order};
    const float reach = radius(acceptance, 1e-3F, 0.1F, 1e-6F) * acceptance.scale(0);
    EXPECT_GT(reach, 1e4F);
    EXPECT_TRUE(std::isfinite(reach));
  }
}

/// One particle far from a clump whose particles are all far enough from each other to be judged.
struct Encounter {
  MassPoints particles;
  double mass, size, second_moment;
  Vec4 center;
};

/// A clump of n particles about the origin and, last, a target at a distance along an axis.
Encounter encounter(std::size_t n, double distance) {
  Encounter result{uniform_cube(n, 21), 0, 0, 0, {}};
  double x = 0, y = 0, z = 0;
  for (const Vec4& p : result.particles) {
    result.mass += p.w;
    x += double(p.w) * p.x;
    y += double(p.w) * p.y;
    z += double(p.w) * p.z;
  }
  result.center = {float(x / result.mass), float(y / result.mass), float(z / result.mass), 0};
  for (const Vec4& p : result.particles) {
    const double r = test::distance(p, result.center);
    result.size = std::max(result.size, r);
    result.second_moment += p.w * r * r;
  }
  const Vec4 c = result.center;
  result.particles.push_back({float(c.x + distance), c.y, c.z, 1e-6F});
  return result;
}

template <class Case>
class AcceptanceInTheWalk : public OnDevice<Case> {
 protected:
  using Device = typename OnDevice<Case>::Device;

  /// The cost of forces on the last particles, whose old accelerations are given.
  ForceCost cost(const Encounter& meeting, Mac mac, double accuracy,
                 const std::vector<double>& old_accelerations, Order order) {
    const std::size_t targets = old_accelerations.size(), n = meeting.particles.size();
    ForceOptions options = force_options(mac, float(accuracy));
    options.acceptance.order = order;
    options.leaf_capacity = 32;
    options.group_size = std::uint32_t(targets);
    SolverAndParticles<Device> tree(this->device, options, meeting.particles);
    std::vector<Force> old(n);
    std::vector<bool> wanted(n, false);
    for (std::size_t k = 0; k < targets; ++k) {
      old[n - targets + k].y = old_accelerations[k];
      wanted[n - targets + k] = true;
    }
    tree.with_old(old).evaluate(wanted);
    return tree.cost;
  }
  std::uint64_t pairs(const Encounter& meeting, Mac mac, double accuracy,
                      const std::vector<double>& old_accelerations, Order order = Order::point) {
    return cost(meeting, mac, accuracy, old_accelerations, order).counts.interactions();
  }
};
TYPED_TEST_SUITE(AcceptanceInTheWalk, Devices);

TYPED_TEST(AcceptanceInTheWalk, OfALoneParticleIsThatOfThePaper) {
  // 32 particles make one leaf, beside the target's leaf.
  constexpr std::size_t n = 32;
  const double distance = 9;
  const Encounter meeting = encounter(n, distance);
  const double b = meeting.size, m = meeting.mass, b2 = meeting.second_moment, a = 0.37;
  const std::vector<std::pair<Mac, double>> at_the_boundary{
      {Mac::acceleration, m * b * b / (std::pow(distance, 4) * a)},
      {Mac::multipole, 3 * b2 / std::pow(distance * (distance - b), 2)},
      {Mac::opening, b / distance}};
  for (const auto& [mac, accuracy] : at_the_boundary) {
    EXPECT_EQ(this->pairs(meeting, mac, accuracy * 1.001, {a}), 2U) << "criterion " << int(mac);
    EXPECT_EQ(this->pairs(meeting, mac, accuracy * 0.999, {a}), n + 1) << "criterion " << int(mac);
  }
}

TYPED_TEST(AcceptanceInTheWalk, OfALoneParticleLowersTheOrderWithTheDistance) {
  constexpr std::size_t n = 32;
  const double distance = 9, a = 0.37;
  const Encounter meeting = encounter(n, distance);
  const double b = meeting.size, m = meeting.mass, b2 = meeting.second_moment;
  struct Boundary {
    Mac mac;
    Order order;
    /// Accuracies from which on the cell acts as a whole, without an octupole, and as a point.
    double opened, quadrupole, point;
  };
  const double of_points = m * b * b / (std::pow(distance, 4) * a);
  const double of_quadrupoles = 2 * b * b2 / (std::pow(distance, 5) * a);
  const double of_octupoles = 4 * b * b * b2 / (std::pow(distance, 6) * a);
  const double multipole = 3 * b2 / std::pow(distance * (distance - b), 2);
  const auto sum = [&](int k, double d) {
    return (k + 1) * std::pow(b, k - 2) * b2 / (std::pow(d, k) * std::pow(d - b, 2));
  };
  const double nearer = distance / std::sqrt(2);
  const std::vector<Boundary> boundaries{
      {Mac::acceleration, Order::quadrupole, of_quadrupoles, of_quadrupoles, of_points / 0.5},
      {Mac::multipole, Order::quadrupole, sum(3, distance), sum(3, distance), multipole / 0.5},
      {Mac::opening, Order::quadrupole, b / distance, b / distance,
       std::pow(b / distance, 2.0 / 3)},
      {Mac::acceleration, Order::octupole, of_octupoles, 8 * of_octupoles, of_points / 0.0625},
      {Mac::multipole, Order::octupole, sum(4, distance), sum(4, nearer), multipole / 0.0625},
      {Mac::opening, Order::octupole, b / distance, b / nearer, std::sqrt(b / distance)}};
  for (const auto& [mac, order, opened, quadrupole, point] : boundaries) {
    SCOPED_TRACE("criterion " + std::to_string(int(mac)) + ", order " + std::to_string(int(order)));
    const auto sources = [&, mac = mac, order = order](double accuracy) {
      const ForceCost cost = this->cost(meeting, mac, accuracy, {a}, order);
      return std::array{cost.counts.interactions(), cost.counts.pairs[Order::quadrupole],
                        cost.counts.pairs[Order::octupole]};
    };
    using Sources = std::array<std::uint64_t, 3>;
    EXPECT_EQ(sources(opened * 0.999), (Sources{n + 1, 0, 0}));
    if (order == Order::octupole) {
      EXPECT_EQ(sources(opened * 1.001), (Sources{2, 0, 1}));
      EXPECT_EQ(sources(quadrupole * 0.999), (Sources{2, 0, 1}));
    }
    EXPECT_EQ(sources(quadrupole * 1.001), (Sources{2, 1, 0}));
    EXPECT_EQ(sources(point * 0.999), (Sources{2, 1, 0}));
    EXPECT_EQ(sources(point * 1.001), (Sources{2, 0, 0}));
  }
}

TYPED_TEST(AcceptanceInTheWalk, OfAGroupIsThatOfItsNearestPossiblePoint) {
  constexpr std::size_t n = 32;
  // Two targets lie across the line of sight: the ball has radius 1, so its nearest point is at 7.
  Encounter meeting = encounter(n, 8);
  Vec4 second = meeting.particles.back();
  meeting.particles.back().y -= 1;
  second.y += 1;
  meeting.particles.push_back(second);
  const double theta = meeting.size / 7;
  EXPECT_EQ(this->pairs(meeting, Mac::opening, theta * 1.001, {0, 0}), 2 * (1U + 2));
  EXPECT_EQ(this->pairs(meeting, Mac::opening, theta * 0.999, {0, 0}), 2 * (n + 2));
}

TYPED_TEST(AcceptanceInTheWalk, OfAGroupIsThatOfItsSmallestAcceleration) {
  constexpr std::size_t n = 32;
  Encounter meeting = encounter(n, 9);
  meeting.particles.push_back(meeting.particles.back());  // same place: a ball without extent
  const double b = meeting.size, smallest = 0.01;
  const double accuracy = meeting.mass * b * b / (std::pow(9, 4) * smallest);
  const std::vector<double> old{10, smallest};
  // The two targets are two sources, or one cell without extent.
  EXPECT_LE(this->pairs(meeting, Mac::acceleration, accuracy * 1.001, old), 2 * (1U + 2));
  EXPECT_GE(this->pairs(meeting, Mac::acceleration, accuracy * 0.999, old), 2 * (n + 1));
}

TYPED_TEST(AcceptanceInTheWalk, OfAParticleWhosePullsCancelOpensFewCells) {
  const SummedSphere& sphere = summed_sphere();
  const std::size_t n = sphere.particles.size();
  const auto pairs = [&](double share_of_acceleration, bool with_potential) {
    std::vector<Force> old = sphere.forces;
    std::vector<bool> wanted(n, false);
    wanted[0] = true;
    for (double* x : {&old[0].x, &old[0].y, &old[0].z}) *x *= share_of_acceleration;
    if (!with_potential) old[0].potential = 0;
    ForceOptions options = force_options(Mac::acceleration, 0x1p-4F);
    options.group_size = 1;
    SolverAndParticles<typename TestFixture::Device> tree(this->device, options, sphere.particles);
    tree.with_old(old).evaluate(wanted);
    return tree.cost.counts.interactions();
  };
  EXPECT_EQ(pairs(1, true), pairs(1, false));
  EXPECT_EQ(pairs(0, false), n);
  EXPECT_LT(pairs(0, true), n / 2);
}

TEST(EstimatedRoot, IsAllowedWhereTheAccuracyIsLow) {
  for (const Mac mac : {Mac::acceleration, Mac::multipole, Mac::opening}) {
    bool allowed = false;
    for (float accuracy = 1e-7F; accuracy < 1; accuracy *= 1.1F) {
      const bool now = estimate_allowed({mac, accuracy, 1}, 6.1e-5);
      EXPECT_TRUE(now || !allowed) << "allowed at a higher accuracy than " << accuracy;
      allowed = now;
    }
    EXPECT_TRUE(allowed);
    EXPECT_FALSE(estimate_allowed({mac, 1e-7F, 1}, 6.1e-5));
  }
}

}  // namespace
}  // namespace gothic
