#pragma once

#include "core/device/annotations.hpp"

namespace gothic {

/// Four floats in one aligned 16-byte word, the unit in which devices move particle data:
/// position and mass, acceleration and potential, velocity.
struct alignas(16) Vec4 {
  float x = 0, y = 0, z = 0, w = 0;
  bool operator==(const Vec4&) const = default;
};

/// x^2 + y^2 + z^2.
GOTHIC_HD inline float squared_length(const Vec4& a) { return a.x * a.x + a.y * a.y + a.z * a.z; }

}  // namespace gothic
