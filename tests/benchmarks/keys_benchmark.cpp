#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "tree/keys.hpp"

namespace gothic::tree {
namespace {

constexpr std::size_t particles = 1 << 16;

struct Positions {
  std::vector<float> x, y, z;
};

const Positions& random_positions() {
  static const Positions positions = [] {
    std::mt19937 generator(1);
    std::uniform_real_distribution<float> coordinate(0, 1);
    Positions drawn;
    for (std::size_t i = 0; i < particles; ++i) {
      drawn.x.push_back(coordinate(generator));
      drawn.y.push_back(coordinate(generator));
      drawn.z.push_back(coordinate(generator));
    }
    return drawn;
  }();
  return positions;
}

/// Positions to keys, as in a rebuild of the tree; reports the time of one key.
template <class Key, class Encode>
void keys_of_positions(benchmark::State& state, Encode encode) {
  const Positions& p = random_positions();
  const KeyCube<float> cube = KeyCube<float>::around<Key>({0, 0, 0}, {1, 1, 1});
  std::vector<Key> keys(particles);
  for (auto _ : state) {
    for (std::size_t i = 0; i < particles; ++i) {
      keys[i] = encode(cube.locate<Key>(p.x[i], p.y[i], p.z[i]));
    }
    benchmark::DoNotOptimize(keys.data());
    benchmark::ClobberMemory();
  }
  state.counters["time_per_key"] = benchmark::Counter(
      particles, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

template <class Key>
void BM_peano_hilbert_table(benchmark::State& state) {
  keys_of_positions<Key>(state, [](CellCoordinates c) { return PeanoHilbert::encode<Key>(c); });
}
BENCHMARK(BM_peano_hilbert_table<std::uint64_t>);
BENCHMARK(BM_peano_hilbert_table<std::uint32_t>);

template <class Key>
void BM_peano_hilbert_bitwise(benchmark::State& state) {
  keys_of_positions<Key>(state,
                         [](CellCoordinates c) { return PeanoHilbert::encode_bitwise<Key>(c); });
}
BENCHMARK(BM_peano_hilbert_bitwise<std::uint64_t>);
BENCHMARK(BM_peano_hilbert_bitwise<std::uint32_t>);

template <class Key>
void BM_morton(benchmark::State& state) {
  keys_of_positions<Key>(state, [](CellCoordinates c) { return Morton::encode<Key>(c); });
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
