#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <vector>

#include "ic/disc/disc_system.hpp"

namespace gothic::ic {

/// Moves the stars of a disc along their orbits in the potential of the galaxy, to random phases. A
/// distribution of stars in which all phases are equally likely is stationary, whatever it was
/// before (Jeans' theorem; Binney & Tremaine 2008, section 4.2).
class OrbitMixer {
 public:
  OrbitMixer(const DiscSystem& discs, std::size_t disc, unsigned threads);

  /// Number of stars that move side by side.
  static constexpr std::size_t lanes = 16;
  using Lanes = std::array<float, lanes>;
  struct Stars {
    std::array<Lanes, 3> position, velocity;
  };

  /// Moves each star by `fraction`, 0 ... 1, of about four epicycles, with the leapfrog. Calls
  /// `visit`, unless it is empty, with the stars after each of the steps() steps.
  void move(Stars& stars, const Lanes& fraction,
            const std::function<void(const Stars&)>& visit = {}) const;
  int steps() const { return steps_; }

 private:
  /// Points even in x / (x + scale), from 0 to nearly infinity.
  struct Axis {
    std::size_t count;
    double scale;

    double at(std::size_t i) const;    // x
    double rate(std::size_t i) const;  // d number / dx
  };

  void tabulate(const DiscSystem& discs, unsigned threads);
  void find_frequencies(double typical_radius);
  void kick(Stars& stars, const Lanes& step) const;
  std::size_t row_of(double axis_distance) const;
  float longest_step(const Stars& stars, std::size_t star) const;

  Axis axis_distance_, height_;
  int steps_ = 0;
  // -dPhi/dR and -dPhi/dz for all R and z, row by row; for each row the highest of the circular,
  // the epicycle and the vertical frequency.
  std::vector<float> inward_, downward_, frequency_;
};

}  // namespace gothic::ic
