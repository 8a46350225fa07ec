#pragma once

#include "core/observers/one_particle.hpp"

namespace gothic {

/// What explains why a run is slow, inexact or has failed.
struct Diagnosis {
  OneParticle shortest;      ///< wants the shortest step
  double shortest_step = 0;  ///< that step, in units of time; infinite for none
  OneParticle not_finite;  ///< first in the input that is not finite; slot `none` if all are finite
};

}  // namespace gothic
