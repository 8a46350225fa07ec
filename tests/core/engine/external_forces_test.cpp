#include <algorithm>
#include <array>
#include <numbers>

#include "paper/force_variant.hpp"
#include "simulations.hpp"

/// Particles in static potentials. The bounds on what is conserved are three times what was
/// measured.
namespace gothic::test {
namespace {

using Kind = ExternalPotential::Kind;

ExternalField only(const ExternalPotential& potential) {
  ExternalField field;
  field.potentials[field.count++] = potential;
  return field;
}

/// Potentials of every kind with mass and size 1 about the origin.
const std::vector<ExternalPotential>& kinds() {
  static const std::vector<ExternalPotential> all = {{Kind::nfw, 1, 1},
                                                     {Kind::hernquist, 1, 1},
                                                     {Kind::miyamoto_nagai, 1, 1, 0.25},
                                                     {Kind::logarithmic, 1, 1, 0.75}};
  return all;
}

/// A wide halo, off centre, and a disc.
ExternalField galaxy() {
  ExternalField field = only({Kind::nfw, 10, 5, 1, {0.5, -0.25, 0.125}});
  field.potentials[field.count++] = {Kind::miyamoto_nagai, 1, 2, 0.5};
  return field;
}

Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

void set_length(Vec3& a, float length) {
  const float factor = length / std::hypot(a[0], a[1], a[2]);
  for (float& axis : a) axis *= factor;
}

/// Particles without mass at radii from 0.5 to 2, with tangential speeds from 0.2 to 0.5, so that
/// none comes near the centre.
files::Snapshot tracers(std::size_t count) {
  files::Snapshot snapshot = plummer(count);
  Particles& p = snapshot.particles;
  for (std::size_t i = 0; i < count; ++i) {
    p.mass[i] = 0;
    p.velocity[i] = cross(p.position[i], p.velocity[i]);
    set_length(p.position[i], 0.5F + 1.5F * float(i) / float(count));
    set_length(p.velocity[i], 0.2F + 0.3F * float(i % 7) / 7);
  }
  return snapshot;
}

double energy_of(const Particles& p, std::size_t i, const ExternalField& field) {
  const Vec3 &r = p.position[i], &v = p.velocity[i];
  const double v2 = double(v[0]) * v[0] + double(v[1]) * v[1] + double(v[2]) * v[2];
  return 0.5 * v2 + field.at<double>({r[0], r[1], r[2], 0}, 0).potential;
}

class External : public SimulationOnDevice {
 protected:
  /// Expects that particles keep their energy and the components of angular momentum that the field
  /// conserves.
  static void expect_kept(const Particles& start, const Particles& end,
                          const ExternalPotential& potential) {
    const bool spherical = potential.kind == Kind::nfw || potential.kind == Kind::hernquist;
    const ExternalField field = only(potential);
    for (std::size_t i = 0; i < start.size(); ++i) {
      ASSERT_NEAR(energy_of(end, i, field), energy_of(start, i, field), 4.5e-4);
      const Vec3 before = cross(start.position[i], start.velocity[i]);
      const Vec3 after = cross(end.position[i], end.velocity[i]);
      for (int axis = spherical ? 0 : 2; axis < 3; ++axis) {
        ASSERT_NEAR(after[axis], before[axis], 1.5e-5);
      }
    }
  }

  static ForceOptions forces_in(const files::Snapshot& snapshot, const ExternalField& field,
                                float accuracy = 0x1p-7F) {
    ForceOptions options = forces(snapshot, accuracy);
    options.external = field;
    return options;
  }
};

TEST_P(External, OrbitsOfTracersKeepEnergyAndAngularMomentum) {
  const files::Snapshot start = tracers(200);
  constexpr double end = 60;  // some ten orbits
  for (const ExternalPotential& potential : kinds()) {
    const ForceOptions force = forces_in(start, only(potential));
    for (const auto mode : {StepRule::Mode::block, StepRule::Mode::shared, StepRule::Mode::fixed}) {
      StepOptions step = steps(start, end, mode);
      if (mode == StepRule::Mode::fixed) step.fixed_step = 0x1p-7;
      const Outcome outcome = run(start, force, step);
      SCOPED_TRACE(std::to_string(int(potential.kind)) + ", steps " + std::to_string(int(mode)));
      expect_kept(start.particles, outcome.end.particles, potential);
    }
  }
}

TEST_P(External, EnergyCountsTheFieldWhole) {
  const files::Snapshot start = plummer(2000);
  const auto alone = make_simulation(device(), start, forces(start, 0x1p-12F), {});
  const ExternalField field = galaxy();
  const auto inside = make_simulation(device(), start, forces_in(start, field, 0x1p-12F), {});
  const Conserved without = alone->energy().sums, with = inside->energy().sums;
  double of_field = 0, virial = 0;
  for (const Vec3& r : start.particles.position) {
    const auto a = field.at<double>({r[0], r[1], r[2], 0}, 0);
    of_field += a.potential / 2000;
    virial += (r[0] * a.x + r[1] * a.y + r[2] * a.z) / 2000;
  }
  EXPECT_NEAR(with.potential - without.potential, of_field, 2e-5 * std::abs(of_field));
  EXPECT_NEAR(with.virial - without.virial, virial, 1e-4 * std::abs(virial));
  EXPECT_EQ(with.kinetic, without.kinetic);
}

TEST_P(External, EnergyOfASphereInAFieldIsConserved) {
  const files::Snapshot start = plummer(4096);
  for (const auto mode : {StepRule::Mode::block, StepRule::Mode::shared}) {
    const Outcome outcome =
        run(start, forces_in(start, galaxy(), 0x1p-10F), steps(start, 6, mode, 0.25));
    EXPECT_LT(outcome.energy_error(), 1.5e-4);
    EXPECT_GT(std::abs(outcome.sums.back().momentum[0]), 0.01) << "the field pulls";
  }
}

TEST_P(External, CircularOrbitTakesItsPeriod) {
  files::Snapshot start = particles_at_rest(2);
  start.particles.mass = {0, 0};
  for (const ExternalPotential& potential : kinds()) {
    const ExternalField field = only(potential);
    const double r = 1.25, pull = -field.at<double>({1.25F, 0, 0, 0}, 0).x,
                 speed = std::sqrt(r * pull);
    start.particles.position = {{1.25F, 0, 0}, {0, -1.25F, 0}};
    start.particles.velocity = {{0, float(speed), 0}, {float(speed), 0, 0}};
    StepOptions step = steps(start, 2 * std::numbers::pi * r / speed);
    step.longest_step = 0x1p-8;
    const Outcome outcome = run(start, forces_in(start, field), step);
    for (std::size_t i = 0; i < 2; ++i) {
      for (int axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(outcome.end.particles.position[i][axis], start.particles.position[i][axis],
                    2e-4);
      }
    }
  }
}

/// Position and velocity after a time, by steps of fourth order (Runge & Kutta) in double
/// precision.
std::array<double, 6> integrated(std::array<double, 6> state, const ExternalField& field,
                                 double time, int count) {
  const auto rate = [&](const std::array<double, 6>& s) {
    const auto a = field.at<double>({float(s[0]), float(s[1]), float(s[2]), 0}, 0);
    return std::array{s[3], s[4], s[5], a.x, a.y, a.z};
  };
  const auto moved = [](std::array<double, 6> s, const std::array<double, 6>& by, double h) {
    for (std::size_t k = 0; k < 6; ++k) s[k] += h * by[k];
    return s;
  };
  const double h = time / count;
  for (int step = 0; step < count; ++step) {
    const auto one = rate(state), two = rate(moved(state, one, h / 2)),
               three = rate(moved(state, two, h / 2)), four = rate(moved(state, three, h));
    for (std::size_t k = 0; k < 6; ++k) {
      state[k] += h / 6 * (one[k] + 2 * two[k] + 2 * three[k] + four[k]);
    }
  }
  return state;
}

TEST_P(External, TracersAreWhereTheirOrbitsLeadWhateverTheSoftening) {
  constexpr double time = 120;  // some twenty orbits
  for (const ExternalPotential& potential : kinds()) {
    files::Snapshot start = tracers(1);
    start.particles.position[0] = {1, 0, 0};
    start.particles.velocity[0] = {0.125F, 0.25F, 0.25F};
    const auto wanted = integrated({1, 0, 0, 0.125, 0.25, 0.25}, only(potential), time, 1 << 17);
    for (const double softening : {1e-3, 1.0}) {
      ForceOptions force = forces_in(start, only(potential));
      force.softening = softening;
      const Outcome outcome = run(start, force, steps(start, time));
      for (int axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(outcome.end.particles.position[0][axis], wanted[axis], 0.01)
            << "kind " << int(potential.kind) << ", axis " << axis;
      }
    }
  }
}

TEST_P(External, ErrorsOfTracersAreThoseOfTheirEnergies) {
  const files::Snapshot start = tracers(300);
  const ExternalField field = galaxy();
  StepOptions fixed = steps(start, 4, StepRule::Mode::fixed);
  fixed.fixed_step = 0x1p-1;
  const auto simulation = make_simulation(device(), start, forces_in(start, field), fixed);
  EXPECT_EQ(simulation->energy().tracers.largest, 0);
  while (!simulation->finished()) simulation->step();
  files::Snapshot end = start;
  Forces found;
  save(*simulation, end, found);
  double largest = 0, squares = 0;
  for (std::size_t i = 0; i < 300; ++i) {
    const double now = energy_of(end.particles, i, field);
    const double potential = found.potential[i];
    const double scale = now - potential + std::abs(potential);
    const double error = std::abs(now - energy_of(start.particles, i, field)) / scale;
    largest = std::max(largest, error);
    squares += error * error;
  }
  EXPECT_GT(largest, 1e-3);
  EXPECT_NEAR(simulation->energy().tracers.largest, largest, 1e-6);
  EXPECT_NEAR(simulation->energy().tracers.rms, std::sqrt(squares / 300), 1e-6);

  const SimulationState state = simulation->state();
  const auto resumed = make_simulation(device(), start, forces_in(start, field), fixed, &state);
  EXPECT_EQ(resumed->energy().tracers.largest, simulation->energy().tracers.largest);
  const auto with_mass = make_simulation(device(), plummer(10), forces_in(start, field), fixed);
  EXPECT_TRUE(std::isnan(with_mass->energy().tracers.largest));
}

TEST_P(External, StepsFollowTheWholeAcceleration) {
  files::Snapshot start = particles_at_rest(1);
  start.particles.position[0] = {0.75F, 0.25F, -0.5F};
  for (const ExternalPotential& potential : kinds()) {
    const ExternalField field = only(potential);
    const auto a = field.at<double>({0.75F, 0.25F, -0.5F, 0}, 0);
    const double step = 0.25 * std::sqrt(start.softening / std::hypot(a.x, a.y, a.z));
    const auto simulation = make_simulation(device(), start, forces_in(start, field),
                                            steps(start, 8, StepRule::Mode::block, 0.25));
    EXPECT_EQ(simulation->step().dt, std::exp2(std::floor(std::log2(step))));
  }
}

TEST_P(External, TracersDoNotPull) {
  files::Snapshot with = plummer(1500);
  files::Snapshot without = with;
  for (std::size_t i = 1000; i < 1500; ++i) with.particles.mass[i] = 0;
  without.particles.resize(1000);
  const ExternalField field = galaxy();
  const Outcome all = run(with, forces_in(with, field, 1e-7F), steps(with, 0.5));
  const Outcome alone = run(without, forces_in(without, field, 1e-7F), steps(without, 0.5));
  for (std::size_t i = 0; i < 1000; ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      ASSERT_NEAR(all.end.particles.position[i][axis], alone.end.particles.position[i][axis], 2e-5);
    }
  }
  EXPECT_NEAR(all.sums.back().total(), alone.sums.back().total(), 1e-6);
  EXPECT_NEAR(all.sums.back().mass, alone.sums.back().mass, 1e-9);
}

TEST_P(External, TracersAloneAreWalkedForInEveryWay) {
  const files::Snapshot start = tracers(1000);
  const ExternalField field = galaxy();
  for (const Mac mac : {Mac::acceleration, Mac::multipole, Mac::opening}) {
    for (const std::uint32_t group : {0U, 1U, 16U}) {
      for (const float extent : {3e38F, 0.1F}) {
        ForceOptions force = forces_in(start, field);
        force.acceptance = {mac, 0.5F, 1};
        force.group_size = group;
        force.variation =
            variation({.ball = group == 16 ? Ball::com : Ball::geo, .extent = extent});
        const Outcome outcome = run(start, force, steps(start, 0.125));
        const Conserved& sums = outcome.sums.back();
        EXPECT_EQ(sums.total(), 0);
        EXPECT_EQ(sums.virial_ratio(), 0);
        EXPECT_EQ(sums.center[0], 0);
        for (std::size_t i = 0; i < 1000; ++i) {
          const Vec3& r = outcome.end.particles.position[i];
          const auto a = field.at<double>({r[0], r[1], r[2], 0}, 0);
          ASSERT_NEAR(outcome.forces.acceleration[i][0], a.x, 1e-5);
          ASSERT_NEAR(outcome.forces.potential[i], a.potential, 1e-5);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, External, every_device(),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace gothic::test
