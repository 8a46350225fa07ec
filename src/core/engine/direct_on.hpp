#pragma once

#include <span>
#include <vector>

#include "core/engine/direct.hpp"
#include "core/engine/set_up.hpp"
#include "core/gravity/direct.hpp"

namespace gothic {

/// What acts on what in a direct sum, and how.
struct DirectTask {
  std::span<const Vec4> position;  ///< positions and masses, those that act first
  std::uint32_t sources = 0;       ///< so many act
  std::span<const std::uint32_t> targets;
  double gravity = 1, softening = 0;
  Precision precision = Precision::double_precision;
  ExternalField external = {};
};

namespace detail {

/// Adds the field at the targets to what was summed, in the precision of Real.
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

/// direct_sum on one kind of device.
template <DeviceType Device>
DirectResult direct_sum_on(Device device, const DirectTask& task) {
  const std::uint32_t n = task.sources;
  const auto count = std::uint32_t(task.targets.size());
  typename Device::template Buffer<Vec4> position(task.position.size());
  typename Device::template Buffer<std::uint32_t> targets(count);
  position.upload(task.position);
  targets.upload(task.targets);

  DirectResult result;
  const auto sum = [&]<class Real, class Out>(Real, Out, auto compute) {
    typename Device::template Buffer<Out> out(count);
    typename Device::Timer timer(device);
    compute(out.data());
    detail::add_field_to_sums<Real>(device, task.external, position.data(), targets.data(), count,
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
  if (task.precision == Precision::double_precision) {
    sum(double{}, Force{}, [&](Force* out) {
      direct_forces(device, position.data(), n, targets.data(), count, task.gravity, task.softening,
                    out);
    });
  } else {
    sum(float{}, Vec4{}, [&](Vec4* out) {
      if (task.precision == Precision::single_newton) {
        direct_forces<Root::newton>(device, position.data(), n, targets.data(), count, task.gravity,
                                    task.softening, out);
      } else {
        direct_forces<Root::estimate>(device, position.data(), n, targets.data(), count,
                                      task.gravity, task.softening, out);
      }
    });
  }
  result.interactions = std::uint64_t(n) * count;
  result.threads = device.threads();
  result.device_name = device.name();
  return result;
}

}  // namespace gothic
