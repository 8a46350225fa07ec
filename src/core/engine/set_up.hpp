#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/device/device.hpp"
#include "core/dynamics/bodies.hpp"
#include "core/particles.hpp"

/// Particles that go to a device.
namespace gothic {

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
  std::vector<Vec4> host = packed_positions(particles);
  bodies.position.upload(host);
  bodies.predicted.upload(host);
  for (std::uint32_t i = 0; i < n; ++i) {
    const Vec3& v = particles.velocity[i];
    host[i] = {v[0], v[1], v[2], 0};
  }
  bodies.velocity.upload(host);
  if (!options.component_softening.empty()) {
    bodies.add_softening();
    bodies.softening->upload(softening_lengths(particles, options));
  }
  start_bodies(device, bodies, first);
}

}  // namespace gothic
