#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "core/tree/keys.hpp"

namespace gothic::tree {
namespace {

constexpr std::size_t particles = 1 << 16;

struct Position {
  float x, y, z;
};

const std::vector<Position>& random_positions() {
  static const std::vector<Position> positions = [] {
    std::mt19937 generator(1);
    std::uniform_real_distribution<float> coordinate(0, 1);
    std::vector<Position> drawn(particles);
    for (Position& p : drawn)
      p = {coordinate(generator), coordinate(generator), coordinate(generator)};
    return drawn;
  }();
  return positions;
}

/// Runs `make_keys(cube, positions, keys)`, as in a rebuild of the tree; reports the time of one
/// key.
template <class Key, class MakeKeys>
void keys_of_positions(benchmark::State& state, MakeKeys make_keys) {
  const std::vector<Position>& positions = random_positions();
  const KeyCube<float> cube = KeyCube<float>::around<Key>({0, 0, 0}, {1, 1, 1});
  std::vector<Key> keys(particles);
  for (auto _ : state) {
    make_keys(cube, positions, keys.data());
    benchmark::DoNotOptimize(keys.data());
    benchmark::ClobberMemory();
  }
  state.counters["time_per_key"] = benchmark::Counter(
      particles, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// One position after the other with `encode(cell)`.
template <class Key, class Encode>
void keys_one_by_one(benchmark::State& state, Encode encode) {
  keys_of_positions<Key>(state, [=](auto& cube, auto& positions, Key* keys) {
    for (std::size_t i = 0; i < particles; ++i) {
      const Position& p = positions[i];
      keys[i] = encode(cube.template locate<Key>(p.x, p.y, p.z));
    }
  });
}

/// As the simulation does it.
template <class Key, class Curve>
void keys_together(benchmark::State& state) {
  keys_of_positions<Key>(state, [](auto& cube, auto& positions, Key* keys) {
    encode_positions<Curve>(
        cube, [&](std::size_t i) { return positions[i]; }, particles, keys);
  });
}

template <class Key>
void BM_peano_hilbert_table(benchmark::State& state) {
  keys_together<Key, PeanoHilbert>(state);
}
BENCHMARK(BM_peano_hilbert_table<std::uint64_t>);
BENCHMARK(BM_peano_hilbert_table<std::uint32_t>);

template <class Key>
void BM_peano_hilbert_table_one_by_one(benchmark::State& state) {
  keys_one_by_one<Key>(state, [](CellCoordinates c) { return PeanoHilbert::encode<Key>(c); });
}
BENCHMARK(BM_peano_hilbert_table_one_by_one<std::uint64_t>);
BENCHMARK(BM_peano_hilbert_table_one_by_one<std::uint32_t>);

template <class Key>
void BM_peano_hilbert_bitwise(benchmark::State& state) {
  keys_one_by_one<Key>(state,
                       [](CellCoordinates c) { return PeanoHilbert::encode_bitwise<Key>(c); });
}
BENCHMARK(BM_peano_hilbert_bitwise<std::uint64_t>);
BENCHMARK(BM_peano_hilbert_bitwise<std::uint32_t>);

template <class Key>
void BM_morton(benchmark::State& state) {
  keys_together<Key, Morton>(state);
}
BENCHMARK(BM_morton<std::uint64_t>);
BENCHMARK(BM_morton<std::uint32_t>);

template <class Key>
void BM_peano_hilbert_decode(benchmark::State& state) {
  std::mt19937_64 generator(1);
  std::vector<Key> keys(particles);
  for (Key& key : keys) key = static_cast<Key>(generator()) & ((Key{1} << key_bits<Key>)-1);
  std::vector<CellCoordinates> cells(particles);
  for (auto _ : state) {
    for (std::size_t i = 0; i < particles; ++i) cells[i] = PeanoHilbert::decode<Key>(keys[i]);
    benchmark::DoNotOptimize(cells.data());
    benchmark::ClobberMemory();
  }
  state.counters["time_per_key"] = benchmark::Counter(
      particles, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_peano_hilbert_decode<std::uint64_t>);

}  // namespace
}  // namespace gothic::tree
