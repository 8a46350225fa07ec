#pragma once

#include <algorithm>
#include <cmath>

#include "files/snapshot.hpp"
#include "fuzz.hpp"

namespace gothic::fuzz {

inline bool finite(const files::Vec3& v) {
  return std::ranges::all_of(v, [](float x) { return std::isfinite(x); });
}

/// Particles that were read are as promised by read_snapshot().
inline void check_snapshot(const files::Snapshot& snapshot) {
  const files::Particles& particles = snapshot.particles;
  const std::size_t n = particles.size();
  if (n == 0 || particles.mass.size() != n || particles.position.size() != n ||
      particles.velocity.size() != n || particles.type.size() != n ||
      particles.component.size() != n) {
    lost("arrays of different lengths");
  }
  if (!std::isfinite(snapshot.time) || !(snapshot.softening >= 0)) lost("a bad header was taken");
  if (!std::ranges::all_of(particles.position, finite)) lost("a bad position was taken");
  if (!std::ranges::all_of(particles.velocity, finite)) lost("a bad velocity was taken");
  const auto good = [](float m) { return m >= 0 && std::isfinite(m); };
  if (!std::ranges::all_of(particles.mass, good)) lost("a bad mass was taken");
  auto ids = particles.id;
  std::ranges::sort(ids);
  if (std::ranges::adjacent_find(ids) != ids.end()) lost("an ID occurs twice");
}

}  // namespace gothic::fuzz
