#pragma once

#include "bench/bench.hpp"
#include "tests/core/engine/simulations.hpp"

namespace gothic::test {

/// Particles to measure with, for forces of usual accuracy.
inline BenchInput input_of(const files::Snapshot& snapshot) {
  BenchInput input{.snapshot = snapshot, .force = {}};
  input.force.acceptance = {Mac::acceleration, 0x1p-7F, 1, Order::automatic};
  input.force.softening = snapshot.softening;
  return input;
}

}  // namespace gothic::test
