#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "core/engine/force_solver.hpp"
#include "core/gravity/direct.hpp"
#include "tests/core/device/devices.hpp"
#include "tests/core/tree/particles.hpp"

/// Forces from the tree and, to compare with, from sums over all pairs.
namespace gothic::test {

inline constexpr float softening = 1.0F / 64;

/// Accelerations and potentials from a plain loop over all pairs in double precision; the potential
/// without the particle's own contribution. [targets]
inline std::vector<Force> summed(const MassPoints& particles,
                                 const std::vector<std::uint32_t>& targets, double gravity = 1,
                                 double eps = softening) {
  std::vector<Force> forces;
  forces.reserve(targets.size());
  for (const std::uint32_t i : targets) {
    Force force;
    for (std::uint32_t j = 0; j < particles.size(); ++j) {
      if (j == i) continue;
      const double dx = double(particles[j].x) - particles[i].x;
      const double dy = double(particles[j].y) - particles[i].y;
      const double dz = double(particles[j].z) - particles[i].z;
      const double s = std::sqrt(dx * dx + dy * dy + dz * dz + eps * eps);
      const double weight = gravity * particles[j].w / (s * s * s);
      force.x += weight * dx;
      force.y += weight * dy;
      force.z += weight * dz;
      force.potential -= gravity * particles[j].w / s;
    }
    forces.push_back(force);
  }
  return forces;
}

inline std::vector<Force> summed(const MassPoints& particles) {
  return summed(particles, numbers(particles.size()));
}

/// A Plummer sphere of 5003 particles, and the forces on them from sums over all pairs.
struct SummedSphere {
  MassPoints particles = plummer_sphere(5003, 30);
  std::vector<Force> forces = summed(particles);
};
inline const SummedSphere& summed_sphere() {
  static const SummedSphere sphere;
  return sphere;
}

inline std::vector<Vec4> in_single(const std::vector<Force>& forces) {
  std::vector<Vec4> result;
  for (const Force& a : forces) {
    result.push_back({float(a.x), float(a.y), float(a.z), float(a.potential)});
  }
  return result;
}

inline double length(const Force& a) { return std::hypot(a.x, a.y, a.z); }

/// |a - reference| / |reference|
inline double error_of(const Vec4& a, const Force& reference) {
  return std::hypot(a.x - reference.x, a.y - reference.y, a.z - reference.z) / length(reference);
}

inline std::vector<double> errors_of(const std::vector<Vec4>& forces,
                                     const std::vector<Force>& reference) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < forces.size(); ++i) {
    errors.push_back(error_of(forces[i], reference[i]));
  }
  return errors;
}

inline std::vector<double> potential_errors_of(const std::vector<Vec4>& forces,
                                               const std::vector<Force>& reference) {
  std::vector<double> errors;
  for (std::size_t i = 0; i < forces.size(); ++i) {
    errors.push_back(std::abs(forces[i].w / reference[i].potential - 1));
  }
  return errors;
}

inline ForceOptions force_options(Mac mac, float accuracy, float gravity = 1) {
  ForceOptions options;
  options.acceptance = {mac, accuracy, gravity};
  options.softening = softening;
  return options;
}

/// Opens every cell that has an extent.
inline ForceOptions open_everything() {
  ForceOptions options = force_options(Mac::opening, 1e-6F);
  options.group_size = 1;
  return options;
}

/// The value in a result for a particle that is no target.
inline constexpr Vec4 untouched{12345, 12345, 12345, 12345};

/// A solver with its particles. Forces are in the order in which the particles came.
template <class Device>
class SolverAndParticles {
 public:
  SolverAndParticles(Device& device, const ForceOptions& options, const MassPoints& particles)
      : device_(device), solver_(device, options), forest_(device) {
    take(particles);
  }

  /// Builds the tree of new particles.
  void take(const MassPoints& particles) {
    particles_ = particles;
    old_.clear();
    SortedParticles<Device> sorted;
    sorted.resize(std::uint32_t(particles_.size()));
    auto& position = sorted.template add<Vec4>("Position", Storage::none);
    auto& number = sorted.template add<std::uint32_t>("Number", Storage::none);
    position.upload(particles_);
    number.upload(numbers(particles_.size()));
    typename Device::Timer timer(device_);
    forest_.grow(sorted, {position}, 0, solver_.settings().options(), timer, cost);
    timer.finish();
    order_ = to_host(number);
  }

  /// Accelerations of an earlier time for the acceleration criterion.
  SolverAndParticles& with_old(const std::vector<Force>& accelerations) {
    old_ = in_single(accelerations);
    return *this;
  }

  /// Moves the particles, which are as many as before, and keeps the tree.
  void move_to(MassPoints particles) { particles_ = std::move(particles); }

  /// Forces on all particles.
  std::vector<Vec4> evaluate() { return evaluate(std::vector<bool>(particles_.size(), true)); }

  /// Forces on the wanted particles; the others have `untouched`.
  std::vector<Vec4> evaluate(const std::vector<bool>& wanted) {
    const std::size_t n = particles_.size();
    if (old_.empty()) old_.resize(n);
    MassPoints sorted(n), sorted_old(n);
    std::vector<std::uint32_t> chosen;
    for (std::size_t i = 0; i < n; ++i) {
      sorted[i] = particles_[order_[i]];
      sorted_old[i] = old_[order_[i]];
      if (wanted[order_[i]]) chosen.push_back(std::uint32_t(i));
    }
    auto position = to_device<Device>(sorted);
    const auto old = to_device<Device>(sorted_old);
    const auto targets = to_device<Device>(chosen);
    auto result = to_device<Device>(std::vector<Vec4>(n, untouched));
    typename Device::Timer timer(device_);
    solver_.find(forest_, {0, false, position, old.data()},
                 {targets.data(), std::uint32_t(chosen.size())}, result.data(), timer, cost);
    cost.counts += solver_.counted().get();
    timer.finish();
    const auto in_tree_order = to_host(result);
    std::vector<Vec4> forces(n);
    for (std::size_t i = 0; i < n; ++i) forces[order_[i]] = in_tree_order[i];
    return forces;
  }

  ForceCost cost;  ///< cost of all forces so far

 private:
  Device& device_;
  ForceSolver<Device> solver_;
  Forest<Device> forest_;
  MassPoints particles_;
  std::vector<Vec4> old_;
  std::vector<std::uint32_t> order_;
};

}  // namespace gothic::test
