#include "core/engine/engine.hpp"

#include <algorithm>
#include <numeric>

#include "core/device/all_devices.hpp"

namespace gothic {

/// Compiled for each device.
template <class Device>
std::unique_ptr<Engine> make_engine_on(const DeviceChoice& device, int number, Communicator& ranks);

std::unique_ptr<Engine> make_engine(const DeviceChoice& device, Communicator& ranks) {
  return with_device(device, [&]<class Device>(int number) {
    return make_engine_on<Device>(device, number, ranks);
  });
}

std::vector<std::uint32_t> spread_targets(const Particles& particles, std::uint32_t count) {
  const std::size_t n = particles.size();
  std::vector<std::uint32_t> by_id(n);
  std::iota(by_id.begin(), by_id.end(), 0U);
  std::sort(by_id.begin(), by_id.end(),
            [&](auto a, auto b) { return particles.id[a] < particles.id[b]; });
  if (count == 0 || count >= n) return by_id;
  std::vector<std::uint32_t> targets(count);
  for (std::size_t k = 0; k < count; ++k) targets[k] = by_id[k * n / count];
  return targets;
}

}  // namespace gothic
