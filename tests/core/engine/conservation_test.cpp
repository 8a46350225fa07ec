#include "simulations.hpp"

/// Plummer spheres in equilibrium over ten dynamical times. The bounds are three times what was
/// measured.
namespace gothic::test {
namespace {

constexpr double ten_dynamical_times = 15;

class Conservation : public SimulationOnDevice {
 protected:
  static double largest(const double (&a)[3], const double (&b)[3]) {
    double result = 0;
    for (int axis = 0; axis < 3; ++axis) result = std::max(result, std::abs(a[axis] - b[axis]));
    return result;
  }
};

TEST_P(Conservation, BlockStepsKeepEnergyMomentumAndAngularMomentum) {
  const files::Snapshot start = plummer(4096);
  const Outcome outcome = run(start, forces(start), steps(start, ten_dynamical_times));
  const Conserved &first = outcome.sums.front(), &last = outcome.sums.back();
  double momentum = 0, angular_momentum = 0, virial = 0;
  for (const Conserved& sum : outcome.sums) {
    momentum = std::max(momentum, largest(sum.momentum, first.momentum));
    angular_momentum =
        std::max(angular_momentum, largest(sum.angular_momentum, first.angular_momentum));
    virial = std::max(virial, std::abs(sum.virial_ratio() - 1));
  }
  EXPECT_LT(outcome.energy_error(), 1.1e-2);
  EXPECT_LT(momentum, 2e-3) << "tree forces are not quite equal and opposite";
  EXPECT_LT(angular_momentum, 4e-4);
  EXPECT_LT(virial, 0.06) << "the sphere is in equilibrium";
  EXPECT_EQ(first.mass, last.mass);
}

TEST_P(Conservation, EnergyErrorFallsWithEta) {
  const files::Snapshot start = plummer(4096);
  const ForceOptions accurate = forces(start, 0x1p-14F);
  double last = 0;
  for (const double eta : {1.0, 0.5, 0.25}) {
    const double error =
        run(start, accurate, steps(start, 6, StepRule::Mode::block, eta)).energy_error();
    if (last > 0) {
      EXPECT_LT(error, 0.7 * last) << eta;
    }
    last = error;
  }
}

TEST_P(Conservation, BlockAndSharedStepsEndWithTheSameRadii) {
  const files::Snapshot start = plummer(4096);
  const Outcome block = run(start, forces(start), steps(start, 6));
  const Outcome shared = run(start, forces(start), steps(start, 6, StepRule::Mode::shared));
  for (const double fraction : {0.1, 0.3, 0.5, 0.7, 0.9}) {
    const double radius = lagrangian_radius(shared.end, fraction);
    EXPECT_NEAR(lagrangian_radius(block.end, fraction) / radius, 1, 0.01) << fraction;
  }
  EXPECT_NEAR(block.sums.back().kinetic / shared.sums.back().kinetic, 1, 0.01);
  EXPECT_LT(1.5 * double(block.updates()), double(shared.updates()));
  EXPECT_LT(block.energy_error(), 5e-3);
  EXPECT_LT(shared.energy_error(), 5e-3);
}

INSTANTIATE_TEST_SUITE_P(Devices, Conservation, every_device(),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace gothic::test
