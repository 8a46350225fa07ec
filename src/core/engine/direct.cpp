#include "core/engine/direct.hpp"

#include <algorithm>
#include <numeric>

namespace gothic {

std::vector<std::uint32_t> spread_targets(const files::Particles& particles, std::uint32_t count) {
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
