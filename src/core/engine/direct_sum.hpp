#pragma once

#include <span>
#include <vector>

#include "core/engine/engine.hpp"
#include "core/gravity/direct.hpp"

namespace gothic {

namespace detail {

/// Adds the external field at the targets to the sums `out`, in the precision of Real.
template <class Real, class Device, class Out>
void add_field_to_sums(const Device& device, const ExternalField& field, const Vec4* position,
                       const std::uint32_t* targets, std::uint32_t count, Out* out) {
  if (field.count == 0) return;
  device.for_each(count, [=] GOTHIC_HD(std::size_t k) {
    const FieldValue<Real> own = field.template at<Real>(position[targets[k]]);
    const Out sum = out[k];
    const auto [x, y, z, potential] = sum;
    out[k] = {x + own.x, y + own.y, z + own.z, potential + own.potential};
  });
}

}  // namespace detail

/// Direct sums on one kind of device.
/// \param positions positions and masses; the first n are the sources
/// \param n number of sources
/// \param targets indices of positions
template <DeviceType Device>
DirectForces summed_forces(const Device& device, std::span<const Vec4> positions, std::uint32_t n,
                           std::span<const std::uint32_t> targets, const DirectOptions& options) {
  const auto count = std::uint32_t(targets.size());
  typename Device::template Buffer<Vec4> position(positions.size());
  typename Device::template Buffer<std::uint32_t> target(count);
  position.upload(positions);
  target.upload(targets);

  DirectForces result;
  const auto sum = [&]<class Real, class Out>(Real, Out, auto compute) {
    typename Device::template Buffer<Out> out(count);
    typename Device::Timer timer(device);
    compute(out.data());
    detail::add_field_to_sums<Real>(device, options.external, position.data(), target.data(), count,
                                    out.data());
    timer.lap(result.seconds);
    timer.finish();
    std::vector<Out> forces(count);
    out.download(forces);
    for (const auto& [x, y, z, potential] : forces) {
      result.forces.acceleration.push_back({x, y, z});
      result.forces.potential.push_back(potential);
    }
  };
  const double gravity = options.gravity, softening = options.softening;
  if (options.precision == Precision::double_precision) {
    sum(double{}, Force{}, [&](Force* out) {
      direct_forces(device, position.data(), n, target.data(), count, gravity, softening, out);
    });
  } else if (options.precision == Precision::single_newton) {
    sum(float{}, Vec4{}, [&](Vec4* out) {
      direct_forces<Root::newton>(device, position.data(), n, target.data(), count, gravity,
                                  softening, out);
    });
  } else {
    sum(float{}, Vec4{}, [&](Vec4* out) {
      direct_forces<Root::estimate>(device, position.data(), n, target.data(), count, gravity,
                                    softening, out);
    });
  }
  result.interactions = std::uint64_t(n) * count;
  return result;
}

}  // namespace gothic
