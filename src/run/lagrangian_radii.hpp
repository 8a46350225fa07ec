#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/messages/communicator.hpp"
#include "core/messages/one_rank.hpp"
#include "files/snapshot.hpp"

namespace gothic {

/// Fractions of the mass within the Lagrangian radii.
inline constexpr std::array lagrange_fractions = {0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99};

/// Radii about the centre of the system that hold given fractions of the mass of one component, in
/// the units of the particles.
struct LagrangianRadii {
  std::int32_t component = 0;
  double mass = 0;
  std::array<double, lagrange_fractions.size()> radius{};
};

/// The square of a particle's distance from the centre, and its mass.
struct Shell {
  float radius2;
  float mass;
};

/// Radii that enclose given fractions of the mass, in ascending order: of each, the least distance
/// of a particle within which there is so much. Particles count alike if none has mass.
/// \param ranks whose shells count together
std::vector<double> enclosing_radii(std::vector<Shell> shells, std::span<const double> fractions,
                                    Communicator& ranks = one_rank());

/// Where the system is densest: the centre of mass within a sphere that shrinks about it until few
/// particles are left (Power et al. 2003). Of many particles every k-th tells where the sphere
/// ends. Particles without mass do not count unless none has any.
/// \param ranks that have the particles together
std::array<double, 3> densest_point(const files::Particles& particles,
                                    Communicator& ranks = one_rank());

/// Radii of every component that has particles, in ascending order of the components. Particles of
/// a component without mass count alike.
/// \param ranks that have the particles together
std::vector<LagrangianRadii> lagrangian_radii(const files::Particles& particles,
                                              const std::array<double, 3>& center,
                                              Communicator& ranks = one_rank());

}  // namespace gothic
