#pragma once

#include <memory>
#include <random>
#include <vector>

#include "core/dynamics/integrator.hpp"
#include "tests/core/device/devices.hpp"

namespace gothic::test {

/// The particles of a test, on the host.
struct HostBodies {
  std::vector<Vec4> position, velocity, acceleration, predicted, new_acceleration;
  std::vector<std::uint8_t> level;

  std::size_t size() const { return position.size(); }
};

/// Particles with random states on the levels 3 ... 10.
inline HostBodies random_bodies(std::size_t n) {
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  std::uniform_int_distribution<int> level(3, 10);
  const auto vector = [&](float w) {
    return Vec4{normal(random), normal(random), normal(random), w};
  };
  HostBodies bodies;
  for (std::size_t i = 0; i < n; ++i) {
    bodies.position.push_back(vector(0.5F + std::abs(normal(random))));
    bodies.velocity.push_back(vector(std::abs(normal(random))));
    bodies.acceleration.push_back(vector(normal(random)));
    bodies.predicted.push_back(vector(1));
    bodies.new_acceleration.push_back(vector(normal(random)));
    bodies.level.push_back(std::uint8_t(level(random)));
  }
  return bodies;
}

template <class Device>
std::unique_ptr<Bodies<Device>> upload(const HostBodies& host) {
  auto result = std::make_unique<Bodies<Device>>();
  Bodies<Device>& bodies = *result;
  bodies.particles.resize(std::uint32_t(host.size()));
  bodies.position.upload(host.position);
  bodies.velocity.upload(host.velocity);
  bodies.acceleration.upload(host.acceleration);
  bodies.predicted.upload(host.predicted);
  bodies.new_acceleration.upload(host.new_acceleration);
  bodies.level.upload(host.level);
  bodies.slot.upload(numbers(host.size()));
  return result;
}

template <class Device>
HostBodies download(const Bodies<Device>& bodies) {
  return {to_host(bodies.position),  to_host(bodies.velocity),         to_host(bodies.acceleration),
          to_host(bodies.predicted), to_host(bodies.new_acceleration), to_host(bodies.level)};
}

}  // namespace gothic::test
