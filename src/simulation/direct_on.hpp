#pragma once

#include <vector>

#include "gravity/direct.hpp"
#include "simulation/direct.hpp"
#include "simulation/set_up.hpp"

namespace gothic {

/// direct_sum on one kind of device.
template <DeviceType Device>
DirectResult direct_sum_on(Device device, const io::Particles& particles,
                           std::span<const std::uint32_t> targets, double gravity, double softening,
                           Precision precision) {
  const auto n = std::uint32_t(particles.size());
  const auto count = std::uint32_t(targets.size());
  typename Device::template Buffer<Vec4> position(n);
  typename Device::template Buffer<std::uint32_t> chosen(count);
  position.upload(packed_positions(particles));
  chosen.upload(targets);

  DirectResult result;
  result.forces.acceleration.resize(count);
  result.forces.potential.resize(count);
  const auto sum = [&]<class Out>(Out, auto compute) {
    typename Device::template Buffer<Out> out(count);
    typename Device::Timer timer(device);
    compute(out.data());
    timer.lap(result.seconds);
    timer.finish();
    std::vector<Out> forces(count);
    out.download(forces);
    return forces;
  };
  if (precision == Precision::double_precision) {
    const auto forces = sum(Force{}, [&](Force* out) {
      direct_forces(device, position.data(), n, chosen.data(), count, gravity, softening, out);
    });
    for (std::uint32_t i = 0; i < count; ++i) {
      result.forces.acceleration[i] = {forces[i].x, forces[i].y, forces[i].z};
      result.forces.potential[i] = forces[i].potential;
    }
  } else {
    const auto forces = sum(Vec4{}, [&](Vec4* out) {
      if (precision == Precision::single_newton) {
        direct_forces<Root::newton>(device, position.data(), n, chosen.data(), count, gravity,
                                    softening, out);
      } else {
        direct_forces<Root::estimate>(device, position.data(), n, chosen.data(), count, gravity,
                                      softening, out);
      }
    });
    for (std::uint32_t i = 0; i < count; ++i) {
      result.forces.acceleration[i] = {forces[i].x, forces[i].y, forces[i].z};
      result.forces.potential[i] = forces[i].w;
    }
  }
  result.interactions = std::uint64_t(n) * count;
  result.threads = device.threads();
  result.device_name = device.name();
  return result;
}

}  // namespace gothic
