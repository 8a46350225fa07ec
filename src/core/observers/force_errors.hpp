#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/gravity/acceptance.hpp"
#include "core/observers/observer.hpp"

/// The errors of forces, from a sample of particles whose forces are also summed directly.
namespace gothic {

/// A particle whose force was found in both ways, at the same time.
struct SampledForce {
  using Vector = std::array<double, 3>;

  std::uint32_t slot = 0;      ///< place in the input of all ranks
  std::int32_t component = 0;  ///< its number in the input
  double mass = 0;
  Vector velocity{};
  Vector found{}, exact{};  ///< acceleration by the tree, and by the direct sum
  double found_potential = 0, exact_potential = 0;
};

/// Sampled particles of all ranks. Those of a component are a fair sample of it, but components are
/// not sampled alike.
struct ForceSample {
  static constexpr Schedule schedule = Schedule::samples;

  /// Number of particles of a component, sampled or not.
  struct Component {
    std::int32_t number = 0;
    std::uint64_t particles = 0;
  };

  std::int64_t step = -1;  ///< after which the forces were found; 0 is the start, -1 none
  double time = 0;
  std::vector<Component> components = {};
  std::vector<SampledForce> forces = {};
  Acceptance acceptance = {};  ///< of the tree's forces
  double seconds = 0;          ///< that the measurement took
};

/// Errors e = a - a_exact of the forces on one component, or on all particles.
struct ForceErrorRecord {
  static constexpr std::int32_t all = -1;  ///< in place of a component

  std::int64_t step = 0;
  double time = 0;
  std::int32_t component = all;
  std::uint64_t particles = 0, sampled = 0;
  /// Quantiles of |e| / |a_exact|: half, and 99 % of the particles have smaller errors.
  double median = 0, percentile_99 = 0;
  double largest = 0;  ///< of the sample
  /// P = <e . v> / <|a_exact| |v|>: the share of the errors that always pushes along the velocity.
  double power = 0;
  double power_error = 0;  ///< standard error of P, if the errors of particles are independent
  /// Power of the errors, sum m e . v: by so much per time the energy of the component grows.
  double work = 0;
  double work_error = 0;  ///< its standard error, in the same way
  /// Error of the potential energy, sum m (phi - phi_exact) / 2: by so much the energy that is
  /// measured is off.
  double potential = 0;
  double acceleration = 0;  ///< root mean square of |a_exact|; in no column
  float accuracy = 0;
  Order order = Order::quadrupole;
  double seconds = 0;
};

/// Errors of all particles and, if there are several components, of each of them.
std::vector<ForceErrorRecord> force_errors(const ForceSample& sample);

/// The columns of a ForceErrorRecord.
const std::vector<ColumnOf<ForceErrorRecord>>& force_error_columns();

/// What is measured from a sample of the forces.
const std::vector<ObserverOf<ForceSample>>& sample_observers();

}  // namespace gothic
