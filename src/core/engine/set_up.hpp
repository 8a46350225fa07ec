#pragma once

#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "core/device/arrays.hpp"
#include "core/device/device.hpp"
#include "core/dynamics/bodies.hpp"
#include "core/particles.hpp"

/// Particles that go to a device.
namespace gothic {

/// The coordinates of vectors, one after the other.
template <class Vectors>
auto flat(Vectors&& vectors) {
  constexpr bool is_constant = std::is_const_v<std::remove_reference_t<decltype(vectors[0])>>;
  using Number = std::conditional_t<is_constant, const float, float>;
  return std::span(reinterpret_cast<Number*>(vectors.data()), 3 * vectors.size());
}

/// Positions and masses as devices take them: the particles in the order of the input, then the
/// points, which have no mass.
inline std::vector<Vec4> packed_positions(const Particles& particles,
                                          std::span<const Vec3> points = {}) {
  std::vector<Vec4> packed;
  packed.reserve(particles.size() + points.size());
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const Vec3& r = particles.position[i];
    packed.push_back({r[0], r[1], r[2], particles.mass[i]});
  }
  for (const Vec3& r : points) packed.push_back({r[0], r[1], r[2], 0});
  return packed;
}

/// The softening lengths of the particles, then of the points; none if all are equal.
/// \param options with `softening` and `component_softening`
template <class Options>
std::vector<float> softening_lengths(const Particles& particles, const Options& options,
                                     std::size_t points = 0) {
  std::vector<float> lengths;
  if (options.component_softening.empty()) return lengths;
  lengths.reserve(particles.size() + points);
  for (const std::int32_t component : particles.component) {
    lengths.push_back(float(options.component_softening.at(std::size_t(component))));
  }
  lengths.resize(particles.size() + points, float(options.softening));
  return lengths;
}

/// Takes over the particles, in the order of the input.
/// \param options with `softening` and `component_softening`
/// \param first place of the first particle in the input of all ranks
template <DeviceType Device, class Options>
void upload(Device& device, const Particles& particles, const Options& options,
            Bodies<Device>& bodies, std::uint32_t first = 0) {
  const auto n = std::uint32_t(particles.size());
  bodies.particles.resize(n);
  {
    const FromHost<Device, float> coordinates(flat(particles.position)), masses(particles.mass);
    const float *const r = coordinates.data(), *const mass = masses.data();
    Vec4 *const position = bodies.position.data(), *const predicted = bodies.predicted.data();
    device.for_each(n, [=] GOTHIC_DEVICE(std::size_t i) {
      position[i] = predicted[i] = {r[3 * i], r[3 * i + 1], r[3 * i + 2], mass[i]};
    });
  }
  {
    const FromHost<Device, float> velocities(flat(particles.velocity));
    const float* const v = velocities.data();
    Vec4* const velocity = bodies.velocity.data();
    device.for_each(n, [=] GOTHIC_DEVICE(std::size_t i) {
      velocity[i] = {v[3 * i], v[3 * i + 1], v[3 * i + 2], 0};
    });
  }
  bodies.component.upload({reinterpret_cast<const std::uint32_t*>(particles.component.data()), n});
  if (!options.component_softening.empty()) {
    bodies.add_softening();
    bodies.softening->upload(softening_lengths(particles, options));
  }
  start_bodies(device, bodies, first);
}

}  // namespace gothic
