#include "core/engine/engine.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/engine/engines.hpp"

namespace gothic {

std::unique_ptr<Engine> make_engine(const DeviceChoice& device) {
  if (const std::optional<int> gpu = chosen_gpu(device)) {
    if constexpr (built_with_cuda) return make_cuda_engine(*gpu, device.blocks);
  }
  return make_cpu_engine(device.threads);
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
