#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace gothic {

using Vec3 = std::array<float, 3>;

/// Particles in the units of their file; all arrays have the same length.
struct Particles {
  std::vector<float> mass;
  std::vector<Vec3> position;
  std::vector<Vec3> velocity;
  std::vector<std::uint64_t> id;        ///< unique
  std::vector<std::uint8_t> type;       ///< of the GADGET format, 0 ... 5; forces do not ask for it
  std::vector<std::int32_t> component;  ///< number of the model's component; likewise

  std::size_t size() const { return id.size(); }
  void resize(std::size_t count) {
    mass.resize(count);
    position.resize(count);
    velocity.resize(count);
    id.resize(count);
    type.resize(count);
    component.resize(count);
  }
};

/// Accelerations, and potentials without the particle's own contribution, in the order of the
/// particles.
template <class T>
struct BasicForces {
  std::vector<std::array<T, 3>> acceleration;
  std::vector<T> potential;
};
using Forces = BasicForces<float>;
using ReferenceForces = BasicForces<double>;

}  // namespace gothic
