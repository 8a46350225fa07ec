#pragma once

namespace gothic {

/// Four floats in one aligned 16-byte word, the unit in which devices move particle data:
/// position and mass, acceleration and potential, velocity.
struct alignas(16) Vec4 {
  float x = 0, y = 0, z = 0, w = 0;
  bool operator==(const Vec4&) const = default;
};

}  // namespace gothic
