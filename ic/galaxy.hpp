#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ic/disc/disc_kinematics.hpp"
#include "ic/sphere/distribution_function.hpp"

namespace gothic::ic {

/// A model in equilibrium: the potential of all components and how each of them moves in it.
///
/// Discs feel the true potential; spheres feel the discs averaged over spheres.
class Galaxy {
 public:
  /// Throws InputError, which starts with the model's file, if no such galaxy can be made.
  explicit Galaxy(Model model, unsigned threads = 1);

  const Model& model() const { return model_; }
  double gravitational_constant() const { return model_.units.gravitational_constant(); }

  /// All components, discs averaged over spheres.
  const SphericalSystem& system() const { return *system_; }

  /// Null for a black hole or a disc.
  const DistributionFunction* distribution(std::size_t component) const {
    return distributions_[component].get();
  }

  /// Null if the model has no discs.
  const DiscSystem* discs() const { return discs_.get(); }

  /// Null if the component is no disc.
  const ThickDisc* disc(std::size_t component) const {
    return kinematics_[component] ? &kinematics_[component]->disc() : nullptr;
  }
  const DiscKinematics* kinematics(std::size_t component) const {
    return kinematics_[component].get();
  }

  /// The shortest scale of the spheres and discs; the scale of a table is the radius where it
  /// bends.
  double shortest_scale() const;

  /// Speed of a circular orbit in the plane z = 0, all components together.
  double circular_speed(double radius) const;

  /// Throws InputError, which starts with the model's file, if a distribution function is negative
  /// somewhere, or if a disc has more than 1 % of its mass where it is too hot to rotate.
  /// \param allowing name, in messages, of the option that allows a negative distribution function
  void require_equilibrium(const std::string& allowing) const;

  /// A sentence for each disc whose Q falls below one, where axisymmetric waves grow (Toomre 1964).
  std::vector<std::string> warnings() const;

 private:
  void settle(unsigned threads);

  Model model_;
  std::unique_ptr<SphericalSystem> spheres_;  // null if there are no discs, or nothing else
  std::unique_ptr<SphericalSystem> system_;
  std::unique_ptr<DiscSystem> discs_;
  std::vector<std::unique_ptr<DistributionFunction>> distributions_;
  std::vector<std::unique_ptr<DiscKinematics>> kinematics_;
};

}  // namespace gothic::ic
